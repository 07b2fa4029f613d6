# exercise: my-reduce-scatter
# verdict: wrong
# mistake: calls the built-in reduce for each chunk
# expect: dist.reduce is a built-in collective
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    result = None
    for r, c in enumerate(torch.chunk(tensor, n, 0)):
        c = c.clone(memory_format=torch.contiguous_format)
        dist.reduce(c, dst=r)
        if r == rank:
            result = c
    return result
