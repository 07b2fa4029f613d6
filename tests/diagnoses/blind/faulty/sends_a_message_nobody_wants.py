import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r = dist.get_rank()
if r == 0:
    first = torch.zeros(1); dist.recv(first, 1)
    second = torch.zeros(1); dist.recv(second, 2)
    print("got", first.item(), second.item())
else:
    dist.send(torch.tensor([10.0 * r]), 0)
    if r == 2:
        dist.send(torch.tensor([-1.0]), 0)
