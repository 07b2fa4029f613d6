import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
left = rank - 1
t = torch.tensor([float(rank)])
box = torch.zeros(1)
req = dist.isend(t, (rank + 1) % 3)
dist.recv(box, src=left)
req.wait()
print(rank, "<-", box.item())
