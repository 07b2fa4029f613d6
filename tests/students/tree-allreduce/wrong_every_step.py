# exercise: tree-allreduce
# verdict: wrong
# mistake: every rank sends in every step of phase I
# expect: sends in each step: nobody receives most of these messages
# hangs: yes
# worlds: 3,4,5,8
import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    temp = torch.zeros_like(tensor)
    step = 1
    while step < size:
        if rank - step >= 0:
            dist.send(tensor, rank - step)
        if rank + step < size and rank % (2 * step) == 0:
            dist.recv(temp, rank + step)
            tensor += temp
        step *= 2
    while step > 1:
        step //= 2
        if rank % (2 * step) == 0 and rank + step < size:
            dist.send(tensor, rank + step)
        elif rank % (2 * step) == step:
            dist.recv(tensor, rank - step)
