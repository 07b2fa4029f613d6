import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([value], dtype=torch.float64)
    if rank > 0:
        dist.recv(t, src=rank - 1)
        t += rank
    if rank < world_size - 1:
        dist.send(t, dst=rank + 1)
    return t.item()
