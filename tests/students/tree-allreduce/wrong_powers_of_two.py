# exercise: tree-allreduce
# verdict: wrong
# mistake: partner rank + 2^(i-1) used without looking whether it exists
# expect: only powers of two: partner beyond the last rank
# hangs: no
# worlds: 3,5
import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    temp = torch.zeros_like(tensor)
    step = 1
    while step < size:
        if rank % (2 * step) == step:
            dist.send(tensor, rank - step)
        elif rank % (2 * step) == 0:
            dist.recv(temp, rank + step)
            tensor += temp
        step *= 2
    while step > 1:
        step //= 2
        if rank % (2 * step) == 0:
            dist.send(tensor, rank + step)
        elif rank % (2 * step) == step:
            dist.recv(tensor, rank - step)
