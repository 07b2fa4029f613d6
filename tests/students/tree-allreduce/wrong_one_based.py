# exercise: tree-allreduce
# verdict: wrong
# mistake: off by one in i: distance 2^i in step i, beginning with i = 1
# expect: distance 2 in the first step: odd ranks never report
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    temp = torch.zeros_like(tensor)
    i = 1
    while 2 ** i < size:
        d = 2 ** i
        if rank % (2 * d) == d:
            dist.send(tensor, rank - d)
        elif rank % (2 * d) == 0 and rank + d < size:
            dist.recv(temp, rank + d)
            tensor += temp
        i += 1
    while i > 1:
        i -= 1
        d = 2 ** i
        if rank % (2 * d) == 0 and rank + d < size:
            dist.send(tensor, rank + d)
        elif rank % (2 * d) == d:
            dist.recv(tensor, rank - d)
