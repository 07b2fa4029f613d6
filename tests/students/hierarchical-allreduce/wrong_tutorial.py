import torch
import torch.distributed as dist


def hierarchical_allreduce(tensor, group_size):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    firsts = list(range(0, world_size, group_size))
    groups = [dist.new_group(list(range(f, min(f + group_size, world_size)))) for f in firsts]
    local = groups[rank // group_size]
    dist.all_reduce(tensor, op=dist.ReduceOp.SUM, group=local)
    cross = dist.new_group(firsts)
    if rank % group_size == 0:
        dist.all_reduce(tensor, op=dist.ReduceOp.SUM, group=cross)
    dist.broadcast(tensor, src=rank // group_size * group_size, group=local)
