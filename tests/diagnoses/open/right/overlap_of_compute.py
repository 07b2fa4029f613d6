import torch
import torch.distributed as dist

dist.init_process_group("gloo")
p = 1 - dist.get_rank()
halo, inner = torch.zeros(1), torch.arange(5.0)
edge = inner[-1:].clone()
reqs = [dist.irecv(halo, p), dist.isend(edge, p)]
inner = inner * 2
[q.wait() for q in reqs]
inner[0] += halo.item()
print(dist.get_rank(), inner.tolist())
