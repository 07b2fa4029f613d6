import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    mine = torch.tensor([value], dtype=torch.float64)
    if rank < world_size - 1:
        dist.send(mine, rank + 1)
    if rank > 0:
        got = torch.zeros(1, dtype=torch.float64)
        dist.recv(got, rank - 1)
        mine = got + rank
    return mine.item()
