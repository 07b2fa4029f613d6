import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank, n = dist.get_rank(), dist.get_world_size()
    data = tensor.contiguous()
    if rank == src:
        for r in range(n):
            if r != src:
                dist.send(data, r)
    else:
        dist.recv(data, src)
        tensor.copy_(data)
    return tensor
