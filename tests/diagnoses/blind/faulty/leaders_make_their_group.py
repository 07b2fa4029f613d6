import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
x = torch.tensor([rank + 1.0])

leaders = [0, 2]
if rank in leaders:
    group = dist.new_group(ranks=leaders)
    dist.all_reduce(x, group=group)
dist.barrier()
print(rank, x.item())
