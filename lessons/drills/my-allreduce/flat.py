import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    mine = tensor.contiguous()
    theirs = torch.empty_like(mine)
    if rank == 0:
        for peer in range(1, size):
            dist.recv(theirs, src=peer)
            mine += theirs
        for peer in range(1, size):
            dist.send(mine, dst=peer)
    else:
        dist.send(mine, dst=0)
        dist.recv(mine, src=0)
    tensor.copy_(mine)
    return tensor
