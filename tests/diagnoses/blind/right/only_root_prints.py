import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
x = torch.tensor([1.0 * rank, 10.0])
dist.reduce(x, dst=3, op=dist.ReduceOp.SUM)
if rank == 3:
    print("root has", x.tolist())
