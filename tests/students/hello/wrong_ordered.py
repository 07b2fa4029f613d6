import torch.distributed as dist


def hello(rank, world_size, name):
    for turn in range(world_size):
        if turn == rank:
            print(f"Rank {rank}: Hello, {name}!", flush=True)
        dist.barrier()
