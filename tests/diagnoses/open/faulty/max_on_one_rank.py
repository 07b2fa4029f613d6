import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
op = dist.ReduceOp.MAX if rank == 0 else dist.ReduceOp.SUM
t = torch.tensor([rank + 1.0])
dist.all_reduce(t, op=op)
print(rank, t.item())
