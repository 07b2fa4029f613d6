# exercise: pass-it-on
# verdict: wrong
# mistake: the number travels as int32
# expect: numbers above 2^31 overflow
# hangs: no
# worlds: 2,3,4,5,8
# sight: yes
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    box = torch.tensor([value]).to(torch.int32)
    if rank > 0:
        dist.recv(box, rank - 1)
        box += rank
    if rank < world_size - 1:
        dist.send(box, rank + 1)
    return int(box)
