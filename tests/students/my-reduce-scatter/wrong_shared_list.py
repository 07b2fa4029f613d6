import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as tools


def my_reduce_scatter(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    pieces = [None] * n
    tools.all_gather_object(pieces, tensor.clone())
    total = pieces[0].chunk(n, 0)[rank].clone(memory_format=torch.contiguous_format)
    for p in pieces[1:]:
        total += p.chunk(n, 0)[rank]
    return total
