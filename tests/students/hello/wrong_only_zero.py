import torch.distributed as dist


def hello(rank, world_size, name):
    if rank == 0:
        print(f"Rank {rank}: Hello, {name}!")
