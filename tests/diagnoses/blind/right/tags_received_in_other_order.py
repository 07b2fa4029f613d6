import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    a = dist.isend(torch.tensor([1.0]), 1, tag=1)
    b = dist.isend(torch.tensor([2.0]), 1, tag=2)
    a.wait(); b.wait()
else:
    first, second = torch.zeros(1), torch.zeros(1)
    dist.recv(second, 0, tag=2)
    dist.recv(first, 0, tag=1)
    print(first.item(), second.item())
