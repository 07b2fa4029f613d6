# exercise: pass-it-on
# verdict: wrong
# mistake: stops one rank early
# expect: the last rank waits for a message nobody sends
# hangs: yes
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([value], dtype=torch.float64)
    if rank > 0:
        dist.recv(t, src=rank - 1)
        t += rank
    if rank < world_size - 2:
        dist.send(t, dst=rank + 1)
    return t.item()
