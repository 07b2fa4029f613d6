import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r = dist.get_rank()
g = dist.new_group([2, 3])
t = torch.tensor([r])
if r >= 2:
    dist.broadcast(t, src=3, group=g)
print(r, t.item())
