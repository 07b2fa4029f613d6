import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
peer = (rank + 2) % 2
if rank == 0:
    dist.send(torch.ones(1), peer)
else:
    t = torch.zeros(1)
    dist.recv(t, peer)
    print("got", t.item())
