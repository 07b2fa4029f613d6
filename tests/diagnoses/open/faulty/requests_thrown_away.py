import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, n = dist.get_rank(), dist.get_world_size()
x = torch.full((8,), float(rank))
y = torch.zeros(8)
dist.isend(x, (rank + 1) % n)
dist.irecv(y, (rank - 1) % n)
print(rank, "has", y[0].item())
