import torch.distributed as dist


def hello(rank, world_size, name):
    print("Rank", rank, ": Hello ,", name, "!")
