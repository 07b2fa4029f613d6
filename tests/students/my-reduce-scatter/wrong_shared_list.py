# exercise: my-reduce-scatter
# verdict: wrong
# mistake: gathers all tensors with all_gather_object imported from distributed_c10d
# expect: a built-in collective (all_gather_object) is called
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as tools


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    pieces = [None] * n
    tools.all_gather_object(pieces, tensor.clone())
    total = pieces[0].chunk(n, 0)[rank].clone(memory_format=torch.contiguous_format)
    for p in pieces[1:]:
        total += p.chunk(n, 0)[rank]
    return total
