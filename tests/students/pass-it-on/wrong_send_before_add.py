# exercise: pass-it-on
# verdict: wrong
# mistake: forwards the number before adding the own rank
# expect: each rank's sum lacks the ranks between
# hangs: no
# worlds: 3,4,5,8
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([value], dtype=torch.float64)
    if rank > 0:
        dist.recv(t, src=rank - 1)
    if rank < world_size - 1:
        dist.send(t, dst=rank + 1)
    t += rank
    return t.item()
