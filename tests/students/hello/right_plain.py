import torch.distributed as dist


def hello(rank, world_size, name):
    print(f"Rank {rank}: Hello, {name}!")
