import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
buckets = [torch.full((k + 1,), rank + 1.0) for k in range(4)]
works = [dist.all_reduce(b, async_op=True) for b in buckets]
busy = 0
for i in range(5000):
    busy += i % 7
for b, w in zip(buckets, works):
    w.wait()
    b /= dist.get_world_size()
print(rank, busy, [b.sum().item() for b in buckets])
