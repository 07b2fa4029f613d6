import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank, size = dist.get_rank(), dist.get_world_size()
    relative = (rank - src) % size
    data = tensor.contiguous()
    step = 1
    while step < size:
        if relative < step and relative + step < size:
            dist.send(data, dst=(relative + step + src) % size)
        elif step <= relative < 2 * step:
            dist.recv(data, src=(relative - step + src) % size)
        step *= 2
    tensor.copy_(data)
    return tensor
