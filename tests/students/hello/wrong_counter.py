import torch.distributed as dist

count = 0


def hello(rank, world_size, name):
    global count
    print(f"Rank {count}: Hello, {name}!")
    count += 1
