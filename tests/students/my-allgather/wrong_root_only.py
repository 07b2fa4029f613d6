import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    if rank != 0:
        dist.send(tensor.contiguous(), 0)
        return tensor
    parts = [tensor]
    for r in range(1, n):
        t = torch.empty(tensor.shape, dtype=tensor.dtype)
        dist.recv(t, r)
        parts.append(t)
    return torch.cat(parts, 0)
