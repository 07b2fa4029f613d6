import torch
import torch.distributed as dist

dist.init_process_group("gloo")
t = torch.ones(10, dtype=torch.float64)
if dist.get_rank() == 0:
    dist.send(t, 1)
    print("sent", t.numel() * t.element_size(), "bytes")
else:
    dist.recv(t, 0)
