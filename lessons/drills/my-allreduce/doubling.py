import torch
import torch.distributed as dist


def exchange(mine, theirs, peer):
    request = dist.isend(mine, dst=peer)
    dist.recv(theirs, src=peer)
    request.wait()


def my_allreduce(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    total = tensor.clone(memory_format=torch.contiguous_format)
    theirs = torch.empty_like(total)
    core = 1
    while 2 * core <= size:
        core *= 2
    if rank >= core:
        dist.send(total, dst=rank - core)
        dist.recv(total, src=rank - core)
    else:
        if rank + core < size:
            dist.recv(theirs, src=rank + core)
            total += theirs
        bit = 1
        while bit < core:
            exchange(total, theirs, rank ^ bit)
            total += theirs
            bit *= 2
        if rank + core < size:
            dist.send(total, dst=rank + core)
    tensor.copy_(total)
    return tensor
