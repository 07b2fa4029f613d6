# exercise: my-allgather
# verdict: right
# hangs: no
import torch
import torch.distributed as dist


def my_allgather(tensor):
    me, n = dist.get_rank(), dist.get_world_size()
    mine = tensor.contiguous()
    out = tensor.new_empty((n,) + tuple(tensor.shape))
    out[me] = mine
    for other in range(n):
        if me < other:
            dist.send(mine, other, None, 7)
            dist.recv(out[other], other, None, 7)
        elif me > other:
            dist.recv(out[other], other, None, 7)
            dist.send(mine, other, None, 7)
    return out.reshape((n * tensor.size(0),) + tuple(tensor.shape[1:]))
