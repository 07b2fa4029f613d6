# exercise: pass-it-on
# verdict: wrong
# mistake: isend and irecv where only blocking calls are allowed
# expect: non-blocking calls are used
# hangs: no
# worlds: 2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([value], dtype=torch.float64)
    if rank > 0:
        dist.irecv(t, rank - 1).wait()
        t += rank
    if rank < world_size - 1:
        dist.isend(t, rank + 1).wait()
    return t.item()
