# exercise: pass-it-on
# verdict: wrong
# mistake: the last rank sends back to rank 0
# expect: one message too many, last rank to 0; rank 0 returns another number than its own
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([value], dtype=torch.float64)
    if world_size == 1:
        return t.item()
    nxt = (rank + 1) % world_size
    prv = (rank - 1) % world_size
    if rank == 0:
        dist.send(t, nxt)
        dist.recv(t, prv)
    else:
        dist.recv(t, prv)
        t += rank
        dist.send(t, nxt)
    return t.item()
