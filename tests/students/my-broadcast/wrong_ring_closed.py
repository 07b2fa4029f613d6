import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank, n = dist.get_rank(), dist.get_world_size()
    if n == 1:
        return tensor
    data = tensor.contiguous()
    temp = torch.empty_like(data)
    for step in range(n - 1):
        dist.send(data, (rank + 1) % n)
        dist.recv(temp, (rank - 1) % n)
        if rank != src:
            data.copy_(temp)
    tensor.copy_(data)
    return tensor
