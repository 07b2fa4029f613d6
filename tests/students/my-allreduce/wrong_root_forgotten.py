# exercise: my-allreduce
# verdict: wrong
# mistake: root starts from zeros: its own data are left out
# expect: rank 0's contribution is missing
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        total = torch.zeros_like(tensor)
        temp = torch.zeros_like(tensor)
        for r in range(1, n):
            dist.recv(temp, r)
            total += temp
        tensor.copy_(total)
        for r in range(1, n):
            dist.send(tensor, r)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
    return tensor
