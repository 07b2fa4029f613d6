import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
team = dist.new_group([0, 1, 2, 3])
x = torch.tensor([rank * 10.0])
dist.broadcast(x, src=rank // 2 * 2, group=team)
print(rank, x.item())
