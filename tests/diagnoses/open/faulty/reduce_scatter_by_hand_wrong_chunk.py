import torch
import torch.distributed as dist

def reduce_scatter(x):
    rank, n = dist.get_rank(), dist.get_world_size()
    chunks = x.chunk(n)
    mine = chunks[rank].clone()
    for s in range(1, n):
        to, frm = (rank + s) % n, (rank - s) % n
        buf = torch.empty_like(mine)
        req = dist.isend(chunks[(to + 1) % n].clone(), to)
        dist.recv(buf, frm)
        req.wait()
        mine += buf
    return mine

dist.init_process_group("gloo")
x = torch.arange(4.0) + 4 * dist.get_rank()
print(dist.get_rank(), reduce_scatter(x).tolist())
