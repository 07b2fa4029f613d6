import os
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def run(rank, world_size):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = "29631"
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    x = torch.tensor([10 * (rank + 1)])
    dist.broadcast(x, src=1)
    print(f"rank {rank}: {x.item()}")
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(run, args=(3,), nprocs=3, join=True)
