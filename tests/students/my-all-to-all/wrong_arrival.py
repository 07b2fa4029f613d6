# exercise: my-all-to-all
# verdict: wrong
# mistake: shift schedule: chunks joined in the order in which they arrive
# expect: chunks in order of arrival (own first), not in rank order
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = [c.contiguous() for c in torch.chunk(tensor, n, scatter_dim)]
    got = [chunks[rank]]
    for s in range(1, n):
        box = torch.empty_like(chunks[rank])
        w = dist.isend(chunks[(rank + s) % n], (rank + s) % n)
        dist.recv(box, (rank - s) % n)
        w.wait()
        got.append(box)
    return torch.cat(got, gather_dim)
