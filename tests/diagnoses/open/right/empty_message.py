import torch
import torch.distributed as dist

dist.init_process_group("gloo")
for n in (0, 2):
    if dist.get_rank() == 0:
        dist.send(torch.tensor([n]), 1)
        if n:
            dist.send(torch.ones(n), 1)
    else:
        k = torch.tensor([-1])
        dist.recv(k, 0)
        t = torch.zeros(int(k))
        if k:
            dist.recv(t, 0)
        print(t.tolist())
