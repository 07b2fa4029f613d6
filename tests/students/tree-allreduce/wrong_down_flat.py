# exercise: tree-allreduce
# verdict: wrong
# mistake: phase II: rank 0 sends to everybody
# expect: phase II does not use the same edges backwards
# hangs: no
# worlds: 4,5,8
# values: right
import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    temp = torch.zeros_like(tensor)
    step = 1
    while step < size:
        if rank % (2 * step) == step:
            dist.send(tensor, rank - step)
        elif rank % (2 * step) == 0 and rank + step < size:
            dist.recv(temp, rank + step)
            tensor += temp
        step *= 2
    if rank == 0:
        for r in range(1, size):
            dist.send(tensor, r)
    else:
        dist.recv(tensor, 0)
