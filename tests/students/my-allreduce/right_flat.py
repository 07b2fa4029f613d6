import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    buf = torch.zeros_like(tensor)
    if rank == 0:
        for r in range(1, n):
            dist.recv(buf, r)
            tensor += buf
        for r in range(1, n):
            dist.send(tensor, r)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
    return tensor
