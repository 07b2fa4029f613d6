# exercise: tree-allreduce
# verdict: wrong
# mistake: adds the buffer before the irecv is waited for
# expect: the buffer is read before the message has arrived
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    step = 1
    while step < size:
        if rank % (2 * step) == step:
            dist.isend(tensor, rank - step).wait()
        elif rank % (2 * step) == 0 and rank + step < size:
            temp = torch.zeros_like(tensor)
            req = dist.irecv(temp, rank + step)
            tensor += temp
            req.wait()
        step *= 2
    while step > 1:
        step //= 2
        if rank % (2 * step) == 0 and rank + step < size:
            dist.isend(tensor, rank + step).wait()
        elif rank % (2 * step) == step:
            dist.irecv(tensor, rank - step).wait()
