# exercise: my-broadcast
# verdict: wrong
# mistake: written for exactly four ranks
# expect: works for 4 ranks only
# hangs: no
# worlds: 1,2,3,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    temp = tensor.contiguous()
    if rank == src:
        for r in [0, 1, 2, 3]:
            if r != src:
                dist.send(temp, r)
    elif rank < 4:
        dist.recv(temp, src)
        tensor.copy_(temp)
    return tensor
