import torch.distributed as dist


def hello(rank, world_size, name):
    for i in range(dist.get_world_size()):
        print(f"Rank {i}: Hello, {name}!")
