import torch
import torch.distributed as dist

def my_allreduce(x):
    parts = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, x)
    x = torch.stack(parts).sum(0)

dist.init_process_group("gloo")
x = torch.tensor([dist.get_rank() + 1.0])
my_allreduce(x)
print(dist.get_rank(), x.item())
