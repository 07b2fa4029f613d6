import torch
import torch.distributed as dist

def count_samples(samples):
    """How many samples all ranks have together."""
    dist.all_reduce(samples, op=dist.ReduceOp.MAX)
    return samples.item()

dist.init_process_group("gloo")
mine = torch.tensor([100 + dist.get_rank()])
total = count_samples(mine)
if dist.get_rank() == 0:
    print("samples in total:", total)
