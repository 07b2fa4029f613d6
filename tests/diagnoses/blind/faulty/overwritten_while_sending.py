import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
STEPS = 3
buf = torch.zeros(1000)

for step in range(STEPS):
    if rank == 0:
        buf.fill_(step)
        req = dist.isend(buf, 1)
        buf.fill_(-1)
        req.wait()
    else:
        dist.recv(buf, 0)
        print("step", step, "received", buf[0].item())
