import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
samples = list(range(10))[rank::3]          # 4, 3 and 3 samples
seen = 0
for s in samples:
    g = torch.tensor([float(s)])
    dist.all_reduce(g)
    seen += 1
print("rank", rank, "saw", seen)
