# exercise: my-broadcast
# verdict: wrong
# mistake: the source is always rank 0
# expect: src other than 0 is ignored
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    if rank == 0:
        data = tensor.contiguous()
        for r in range(1, dist.get_world_size()):
            dist.send(data, r)
    else:
        data = torch.empty(tensor.shape, dtype=tensor.dtype)
        dist.recv(data, 0)
        tensor.copy_(data)
    return tensor
