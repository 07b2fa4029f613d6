# exercise: tree-allreduce
# verdict: wrong
# mistake: tensor = tensor + temp makes a new tensor
# expect: not in place: the caller's tensor keeps its values
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> torch.Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    temp = torch.zeros_like(tensor)
    step = 1
    while step < size:
        if rank % (2 * step) == step:
            dist.send(tensor, rank - step)
        elif rank % (2 * step) == 0 and rank + step < size:
            dist.recv(temp, rank + step)
            tensor = tensor + temp
        step *= 2
    while step > 1:
        step //= 2
        if rank % (2 * step) == 0 and rank + step < size:
            dist.send(tensor, rank + step)
        elif rank % (2 * step) == step:
            tensor = torch.empty_like(tensor)
            dist.recv(tensor, rank - step)
    return tensor
