# exercise: my-allreduce
# verdict: wrong
# mistake: flat view of the first row only
# expect: shape (n, 1) and further rows mishandled: only tensor[0] is summed
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    part = tensor[0] if tensor.dim() > 1 else tensor
    temp = torch.empty_like(part)
    if rank == 0:
        for r in range(1, n):
            dist.recv(temp, r)
            part += temp
        for r in range(1, n):
            dist.send(part, r)
    else:
        dist.send(part, 0)
        dist.recv(part, 0)
    return tensor
