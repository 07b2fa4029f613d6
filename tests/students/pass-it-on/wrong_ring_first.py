# exercise: pass-it-on
# verdict: wrong
# mistake: all ranks send first in a closed circle
# expect: all ranks wait in send (deadlock)
# hangs: yes
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    x = torch.tensor([value], dtype=torch.float64)
    if world_size > 1:
        total = x.clone()
        for _ in range(world_size - 1):
            dist.send(x, (rank + 1) % world_size)
            dist.recv(x, (rank - 1) % world_size)
            if rank > 0:
                total = x + rank
        x = total
    return x.item()
