import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r = dist.get_rank()
t = torch.tensor([r + 0.5])
if r < 2:
    dist.send(t, r + 2)
else:
    dist.recv(t, r - 2)
    print(r, "has", t.item())
