import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    theirs = torch.zeros_like(tensor)
    step = 1
    while step < size:
        if rank % (2 * step) == step:
            dist.send(tensor, dst=rank - step)
        elif rank % (2 * step) == 0 and rank + step < size:
            dist.recv(theirs, src=rank + step)
            tensor += theirs
        step *= 2
    while step > 1:
        step //= 2
        if rank % (2 * step) == 0 and rank + step < size:
            dist.send(tensor, dst=rank + step)
        elif rank % (2 * step) == step:
            dist.recv(tensor, src=rank - step)
