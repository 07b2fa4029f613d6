import torch.distributed as dist


def hello(rank, world_size, name):
    if dist.get_rank() == 0:
        for r in range(world_size):
            print(f"Rank {r}: Hello, {name}!")
