import sys
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
t = torch.tensor([rank])
if rank == 2:
    dist.send(t, 0)
    print("rank 2 has nothing more to do")
    sys.exit(0)
if rank == 0:
    dist.recv(t, 2)
    dist.send(t * 2, 1)
    print("rank 0 has passed on", t.item() * 2)
else:
    dist.recv(t, 0)
    print("rank 1 has", t.item())
