import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
evens = dist.new_group([0, 2])
odds = dist.new_group([1, 3])
x = torch.tensor([rank + 1])
if rank % 2 == 0:
    dist.all_reduce(x, group=evens)
else:
    dist.all_reduce(x, group=odds)
print(rank, x.item())
