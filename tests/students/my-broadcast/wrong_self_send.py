# exercise: my-broadcast
# verdict: wrong
# mistake: the root sends to itself, too
# expect: a message from src to itself
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    data = tensor.contiguous()
    if rank == src:
        for r in range(dist.get_world_size()):
            dist.send(data, r)
    else:
        dist.recv(data, src)
        tensor.copy_(data)
    return tensor
