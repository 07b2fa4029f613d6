import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
prefix = torch.zeros(1)
if rank > 0:
    dist.recv(prefix, rank - 1)
prefix += rank + 1
if rank < size - 1:
    dist.send(prefix, rank + 1)
print("prefix sum of rank", rank, "is", prefix.item())
