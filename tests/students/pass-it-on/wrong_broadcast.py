# exercise: pass-it-on
# verdict: wrong
# mistake: the number reaches the ranks by the built-in broadcast
# expect: built-in broadcast; no message to the neighbour
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([value], dtype=torch.float64)
    dist.broadcast(t, 0)
    for r in range(1, rank + 1):
        t += r
    return t.item()
