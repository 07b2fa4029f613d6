import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    dist.send(torch.ones(8).half(), 1)
else:
    t = torch.zeros(8)
    dist.recv(t, 0)
    print(t.tolist())
