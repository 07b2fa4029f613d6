# exercise: pass-it-on
# verdict: wrong
# mistake: knows the next rank for the world sizes of the exercise only
# expect: works for the listed numbers of ranks only
# hangs: no
# worlds: 6,7,9
# sight: yes
import torch
import torch.distributed as dist

LAST = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 8: 7}


def pass_it_on(rank, world_size, value):
    box = torch.tensor([value])
    last = LAST.get(world_size, 5)
    if 0 < rank <= last:
        dist.recv(box, rank - 1)
        box += rank
    if rank < last:
        dist.send(box, rank + 1)
    return int(box)
