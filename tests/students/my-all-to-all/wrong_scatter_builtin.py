# exercise: my-all-to-all
# verdict: wrong
# mistake: a loop over the built-in scatter, imported under another name
# expect: dist.scatter is called under an alias
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist
from torch.distributed import scatter as distribute


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    chunks = [c.contiguous() for c in tensor.chunk(n, scatter_dim)]
    got = []
    for r in range(n):
        box = torch.empty_like(chunks[rank])
        distribute(box, chunks if r == rank else None, src=r)
        got.append(box)
    return torch.cat(got, gather_dim)
