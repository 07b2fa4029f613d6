import torch
import torch.distributed as dist

dist.init_process_group("gloo")
r, n = dist.get_rank(), dist.get_world_size()
kv, seen = torch.tensor([r, r * r]), []
for _ in range(n):
    seen.append(kv.tolist()[1])
    nxt = torch.empty_like(kv)
    for w in dist.batch_isend_irecv([dist.P2POp(dist.isend, kv, (r + 1) % n),
                                     dist.P2POp(dist.irecv, nxt, (r - 1) % n)]):
        w.wait()
    kv = nxt
print(r, seen)
