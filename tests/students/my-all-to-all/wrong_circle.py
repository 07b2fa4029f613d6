# exercise: my-all-to-all
# verdict: wrong
# mistake: blocking sends in a circle
# expect: all ranks send first (deadlock)
# hangs: yes
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = [c.contiguous() for c in torch.chunk(tensor, n, scatter_dim)]
    got = [torch.empty_like(c) for c in chunks]
    got[rank] = chunks[rank]
    for s in range(1, n):
        dist.send(chunks[(rank + s) % n], (rank + s) % n)
        dist.recv(got[(rank - s) % n], (rank - s) % n)
    return torch.cat(got, gather_dim)
