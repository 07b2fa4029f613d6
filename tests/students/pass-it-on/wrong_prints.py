# exercise: pass-it-on
# verdict: wrong
# mistake: prints the number and returns nothing
# expect: None is returned
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    t = torch.tensor([value], dtype=torch.float64)
    if rank > 0:
        dist.recv(t, src=rank - 1)
        t += rank
    if rank < world_size - 1:
        dist.send(t, dst=rank + 1)
    print(f"Rank {rank} holds {t.item()}")
