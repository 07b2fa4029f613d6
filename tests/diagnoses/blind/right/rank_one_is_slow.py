import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
if rank == 1:
    time.sleep(0.7)
x = torch.ones(1)
dist.all_reduce(x)
print("rank", rank, "counts", int(x.item()), "ranks")
