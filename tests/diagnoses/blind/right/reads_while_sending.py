import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
x = torch.arange(6.0) * (rank + 1)
y = torch.empty(6)
s = dist.isend(x, 1 - rank)
norm = x.norm().item()          # reading is allowed
dist.recv(y, 1 - rank)
s.wait()
print(rank, round(norm, 3), y.sum().item())
