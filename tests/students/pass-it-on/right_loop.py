import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    x = torch.zeros(1, dtype=torch.float64)
    x[0] = value
    for step in range(world_size - 1):
        if step == rank:
            dist.send(x, step + 1)
        elif step == rank - 1:
            dist.recv(x, step)
            x[0] += rank
    return x[0].item()
