# exercise: my-all-to-all
# verdict: wrong
# mistake: gathers all tensors by dist.all_gather and picks its chunks
# expect: the built-in all_gather is called, and all data go everywhere
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    everything = [torch.empty(tensor.shape, dtype=tensor.dtype) for _ in range(n)]
    dist.all_gather(everything, tensor.contiguous())
    return torch.cat([t.chunk(n, scatter_dim)[rank] for t in everything], gather_dim)
