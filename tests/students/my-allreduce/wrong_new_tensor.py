# exercise: my-allreduce
# verdict: wrong
# mistake: returns a new tensor; the argument keeps its values
# expect: not in place: the argument is unchanged
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    buf = torch.zeros_like(tensor)
    if rank == 0:
        for r in range(1, n):
            dist.recv(buf, r)
            tensor = tensor + buf
        for r in range(1, n):
            dist.send(tensor, r)
        return tensor
    dist.send(tensor, 0)
    result = torch.zeros_like(tensor)
    dist.recv(result, 0)
    return result
