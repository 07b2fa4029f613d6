import torch.distributed as dist


def hello(rank, world_size, name):
    me = dist.get_rank()
    print("Rank %d: Hello, %s!" % (me, name), flush=True)
