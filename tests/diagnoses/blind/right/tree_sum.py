import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank(); size = dist.get_world_size()
val = torch.tensor([float(rank)])
acc = val.clone()
gap = 1
while gap < size:
    if rank % (2 * gap) == gap:
        dist.send(acc, rank - gap)
        break
    if rank + gap < size:
        other = torch.zeros(1)
        dist.recv(other, rank + gap)
        acc += other
    gap *= 2
dist.broadcast(acc, src=0)
print(rank, acc.item())
