import random
import torch
import torch.distributed as dist

N = 2000
dist.init_process_group("gloo")
rng = random.Random(dist.get_rank())
hits = torch.tensor([sum(rng.random() ** 2 + rng.random() ** 2 < 1 for _ in range(N))])
dist.all_reduce(hits)
pi = 4 * hits.item() / (N * dist.get_world_size())
if dist.get_rank() == 0:
    print("pi is about right:", abs(pi - 3.14) < 0.1)
