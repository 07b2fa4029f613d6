# exercise: pass-it-on
# verdict: wrong
# mistake: only the last rank returns the number
# expect: ranks in the middle and rank 0 return None
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([value], dtype=torch.float64)
    if rank != 0:
        dist.recv(t, rank - 1)
        t += rank
    if rank != world_size - 1:
        dist.send(t, rank + 1)
    else:
        return t.item()
