import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    x = torch.tensor([value], dtype=torch.float64)
    if world_size > 1:
        total = x.clone()
        for _ in range(world_size - 1):
            dist.send(x, (rank + 1) % world_size)
            dist.recv(x, (rank - 1) % world_size)
            if rank > 0:
                total = x + rank
        x = total
    return x.item()
