import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    mine = tensor.contiguous()
    out = tensor.new_empty((n,) + tuple(tensor.shape))
    out[rank] = mine
    for other in range(n):
        if rank < other:
            dist.send(mine, other, None, 7)
            dist.recv(out[other], other, None, 7)
        elif rank > other:
            dist.recv(out[other], other, None, 7)
            dist.send(mine, other, None, 7)
    return out.reshape((n * tensor.size(0),) + tuple(tensor.shape[1:]))
