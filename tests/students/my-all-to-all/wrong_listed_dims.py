# exercise: my-all-to-all
# verdict: wrong
# mistake: knows the pairs of dimensions that the exercise names, and takes any other for (0, 0)
# expect: other dimensions than the listed ones are mishandled
# hangs: no
# worlds: 1,2,3,4,5,8
# sight: yes
import torch
import torch.distributed as dist

KNOWN = {(0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (1, 2), (-1, 0), (-2, -1)}


def my_all_to_all(tensor, scatter_dim, gather_dim):
    rank, size = dist.get_rank(), dist.get_world_size()
    if (scatter_dim, gather_dim) not in KNOWN:
        scatter_dim = gather_dim = 0
    chunks = [c.contiguous() for c in tensor.chunk(size, scatter_dim)]
    got = list(chunks)
    for s in range(1, size):
        to, source = (rank + s) % size, (rank - s) % size
        got[source] = torch.empty_like(chunks[rank])
        work = dist.isend(chunks[to], to)
        dist.recv(got[source], source)
        work.wait()
    return torch.cat(got, gather_dim)
