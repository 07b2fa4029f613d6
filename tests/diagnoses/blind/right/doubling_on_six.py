import torch
import torch.distributed as dist

def exchange(x, peer):
    y = torch.empty_like(x)
    reqs = dist.batch_isend_irecv([dist.P2POp(dist.isend, x, peer), dist.P2POp(dist.irecv, y, peer)])
    [q.wait() for q in reqs]
    return x + y

dist.init_process_group("gloo")
r, n = dist.get_rank(), dist.get_world_size()
p = 1 << (n.bit_length() - 1)
x = torch.tensor([r + 1.0])
if r >= p:
    dist.send(x, r - p)
    dist.recv(x, r - p)
else:
    if r + p < n:
        extra = torch.empty(1)
        dist.recv(extra, r + p)
        x = x + extra
    k = 1
    while k < p:
        x = exchange(x, r ^ k)
        k *= 2
    if r + p < n:
        dist.send(x, r + p)
print(r, x.item())
