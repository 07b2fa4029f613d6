import torch
import torch.distributed as dist

def average_parameters(weights):
    n = dist.get_world_size()
    collected = [torch.zeros_like(weights) for _ in range(n)]
    collected[dist.get_rank()] = weights
    dist.barrier()
    return sum(collected) / n

dist.init_process_group("gloo")
r = dist.get_rank()
weights = torch.tensor([3.0 * (r + 1), 6.0])
print(r, average_parameters(weights).tolist())
