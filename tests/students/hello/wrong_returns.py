import torch.distributed as dist


def hello(rank, world_size, name):
    return f"Rank {rank}: Hello, {name}!"
