import torch
import torch.distributed as dist


def hierarchical_allreduce(tensor, group_size):
    rank, size = dist.get_rank(), dist.get_world_size()
    leader = rank // group_size * group_size
    box = torch.empty_like(tensor)
    if rank == leader:
        for other in range(leader + 1, min(leader + group_size, size)):
            dist.recv(box, other)
            tensor += box
        if rank:
            dist.send(tensor, 0)
        else:
            for other in range(group_size, size, group_size):
                dist.recv(box, other)
                tensor += box
            for other in range(1, size):
                dist.send(tensor, other)
            return
    else:
        dist.send(tensor, leader)
    dist.recv(tensor, 0)
