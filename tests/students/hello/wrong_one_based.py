import torch.distributed as dist


def hello(rank, world_size, name):
    print(f"Rank {rank + 1}: Hello, {name}!")
