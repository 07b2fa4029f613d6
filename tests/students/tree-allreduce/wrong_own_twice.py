# exercise: tree-allreduce
# verdict: wrong
# mistake: accumulator starts as the own tensor and the own tensor is added at the end again
# expect: own contribution counted twice on inner ranks
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    acc = tensor.clone()
    temp = torch.zeros_like(tensor)
    step = 1
    while step < size:
        if rank % (2 * step) == step:
            dist.send(acc, rank - step)
        elif rank % (2 * step) == 0 and rank + step < size:
            dist.recv(temp, rank + step)
            acc += temp + tensor
        step *= 2
    while step > 1:
        step //= 2
        if rank % (2 * step) == 0 and rank + step < size:
            dist.send(acc, rank + step)
        elif rank % (2 * step) == step:
            dist.recv(acc, rank - step)
    tensor.copy_(acc)
