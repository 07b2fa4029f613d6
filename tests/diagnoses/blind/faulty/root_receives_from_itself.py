import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
size = dist.get_world_size()
x = torch.tensor([rank + 1.0])

if rank == 0:
    acc = torch.zeros(1)
    for src in range(size):
        tmp = torch.zeros(1)
        dist.recv(tmp, src)
        acc += tmp
    print("total", acc.item())
else:
    dist.send(x, 0)
