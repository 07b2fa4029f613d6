import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
n = dist.get_world_size()
x = torch.tensor([float(rank)])

dist_between = 1
while dist_between < n:
    partner = (rank + dist_between) % n
    y = torch.zeros(1)
    if rank < partner:
        dist.send(x, partner)
        dist.recv(y, partner)
    else:
        dist.recv(y, partner)
        dist.send(x, partner)
    x = x + y
    dist_between *= 2
print(rank, x.item())
