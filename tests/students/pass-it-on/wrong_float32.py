# exercise: pass-it-on
# verdict: wrong
# mistake: float32 tensor loses large numbers
# expect: values above 2^24 come out rounded
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([float(value)])
    if rank > 0:
        dist.recv(t, src=rank - 1)
        t += rank
    if rank < world_size - 1:
        dist.send(t, dst=rank + 1)
    return t.item()
