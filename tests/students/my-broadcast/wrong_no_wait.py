# exercise: my-broadcast
# verdict: wrong
# mistake: isend and irecv are never waited for
# expect: returns before the data have arrived: requests not waited
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist

pending = []


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    data = tensor.contiguous()
    if rank == src:
        for r in range(dist.get_world_size()):
            if r != src:
                pending.append(dist.isend(data, r))
    else:
        pending.append(dist.irecv(data, src))
        tensor.copy_(data)
    return tensor
