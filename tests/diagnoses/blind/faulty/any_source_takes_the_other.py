import torch
import torch.distributed as dist

# Rank 1 sends a temperature, rank 2 a pressure.
dist.init_process_group("gloo")
rank = dist.get_rank()
if rank == 0:
    t = torch.zeros(1)
    p = torch.zeros(1)
    dist.recv(t)
    dist.recv(p)
    print("temperature", t.item(), "pressure", p.item())
elif rank == 1:
    dist.send(torch.tensor([20.5]), dst=0)
else:
    dist.send(torch.tensor([1013.0]), dst=0)
