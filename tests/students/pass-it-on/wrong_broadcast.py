import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([value], dtype=torch.float64)
    dist.broadcast(t, 0)
    for r in range(1, rank + 1):
        t += r
    return t.item()
