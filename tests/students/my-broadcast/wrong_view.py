# exercise: my-broadcast
# verdict: wrong
# mistake: sends the tensor as it is, contiguous or not
# expect: a view that is not contiguous is refused
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    if rank == src:
        for r in range(dist.get_world_size()):
            if r != src:
                dist.send(tensor, r)
    else:
        dist.recv(tensor, src)
    return tensor
