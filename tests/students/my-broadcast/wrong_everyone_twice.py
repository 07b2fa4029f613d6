# exercise: my-broadcast
# verdict: wrong
# mistake: source sends to all and all forward to their neighbour
# expect: ranks get the data more than once, too many messages
# hangs: no
# worlds: 3,4,5,8
# values: right
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank, n = dist.get_rank(), dist.get_world_size()
    data = tensor.contiguous()
    if rank == src:
        for r in range(n):
            if r != src:
                dist.send(data, r)
    else:
        dist.recv(data, src)
        v = (rank - src) % n
        if v > 1:
            dist.recv(data, (rank - 1) % n)
        if v < n - 1:
            dist.send(data, (rank + 1) % n)
    tensor.copy_(data)
    return tensor
