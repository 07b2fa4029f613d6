import torch
import torch.distributed as dist

dist.init_process_group("gloo")
grads = [torch.full((64,), float(dist.get_rank() + k)) for k in range(3)]
works = [dist.all_reduce(g, async_op=True) for g in grads]
norm = sum(g.norm() for g in grads)
for w in works:
    w.wait()
print(round(norm.item(), 3))
