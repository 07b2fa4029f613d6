import time

import torch.distributed as dist


def hello(rank, world_size, name):
    time.sleep(0.02 * dist.get_rank())
    print(f"Rank {dist.get_rank()}: Hello, {name}!")
