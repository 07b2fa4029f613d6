import torch
import torch.distributed as dist


def swap(mine, theirs, peer):
    a = dist.isend(mine, peer)
    b = dist.irecv(theirs, peer)
    a.wait()
    b.wait()


def my_allreduce(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    acc = tensor.clone(memory_format=torch.contiguous_format)
    tmp = torch.empty_like(acc)
    p = 1
    while 2 * p <= size:
        p *= 2
    if rank >= p:
        dist.send(acc, rank - p)
        dist.recv(acc, rank - p)
    else:
        if rank + p < size:
            dist.recv(tmp, rank + p)
            acc.add_(tmp)
        bit = 1
        while bit < p:
            swap(acc, tmp, rank ^ bit)
            acc.add_(tmp)
            bit <<= 1
        if rank + p < size:
            dist.send(acc, rank + p)
    tensor.copy_(acc)
    return tensor
