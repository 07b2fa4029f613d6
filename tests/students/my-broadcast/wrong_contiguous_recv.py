# exercise: my-broadcast
# verdict: wrong
# mistake: receives into tensor.contiguous() and forgets to copy back
# expect: views that are not contiguous keep their old values
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank, n = dist.get_rank(), dist.get_world_size()
    if rank == src:
        for r in range(n):
            if r != src:
                dist.send(tensor.contiguous(), r)
    else:
        dist.recv(tensor.contiguous(), src)
    return tensor
