import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, last = dist.get_rank(), dist.get_world_size() - 1
outputs = []
for batch in range(4):
    x = torch.tensor([float(batch)])
    if rank > 0:
        dist.recv(x, rank - 1)
    x = x * 2 + rank
    if rank < last:
        dist.send(x, rank + 1)
    else:
        outputs.append(x.item())
if rank == last:
    print("outputs", outputs)
