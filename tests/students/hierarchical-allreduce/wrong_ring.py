import torch
import torch.distributed as dist


def hierarchical_allreduce(tensor, group_size):
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 1:
        return
    box = torch.empty_like(tensor)
    if rank:
        dist.recv(box, rank - 1)
        tensor += box
    if rank + 1 < size:
        dist.send(tensor, rank + 1)
        dist.recv(tensor, rank + 1)
    if rank:
        dist.send(tensor, rank - 1)
