import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
world = dist.get_world_size()

data = torch.arange(10, dtype=torch.float32)
per = (len(data) + world - 1) // world          # 4, 4, 2
mine = data[rank * per:(rank + 1) * per]
scores = mine * 2
parts = [torch.zeros(per) for _ in range(world)]
dist.all_gather(parts, scores)
print(rank, torch.cat(parts)[:len(data)].tolist())
