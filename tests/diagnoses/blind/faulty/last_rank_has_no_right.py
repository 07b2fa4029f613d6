import torch
import torch.distributed as dist

def pass_on(x, rank, size):
    y = torch.zeros_like(x)
    ops = [dist.P2POp(dist.isend, x, rank + 1),
           dist.P2POp(dist.irecv, y, (rank - 1) % size)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    return y

dist.init_process_group("gloo")
r, s = dist.get_rank(), dist.get_world_size()
print(r, pass_on(torch.tensor([r * 1.0]), r, s).item())
