import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, n = dist.get_rank(), dist.get_world_size()
right = (rank + 1) % n
x = torch.tensor([rank + 1.0])
y = torch.zeros(1)
s = dist.isend(x, right)
dist.recv(y, right)
s.wait()
print(rank, y.item())
