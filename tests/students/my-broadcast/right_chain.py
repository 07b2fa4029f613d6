import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return tensor
    right = (rank + 1) % size
    left = (rank + size - 1) % size
    temp = torch.zeros(tensor.shape, dtype=tensor.dtype)
    if rank == src:
        temp.copy_(tensor)
    else:
        dist.recv(temp, left, None, 0)
        tensor.copy_(temp)
    if right != src:
        dist.send(temp, right, None, 0)
    return tensor
