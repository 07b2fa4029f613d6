import torch
import torch.distributed as dist


def _reduce(tensor, ranks):
    me = dist.get_rank()
    if me == ranks[0]:
        box = torch.empty_like(tensor)
        for other in ranks[1:]:
            dist.recv(box, other)
            tensor += box
    elif me in ranks:
        dist.send(tensor, ranks[0])


def _broadcast(tensor, ranks):
    me = dist.get_rank()
    if me == ranks[0]:
        for other in ranks[1:]:
            dist.send(tensor, other)
    elif me in ranks:
        dist.recv(tensor, ranks[0])


def hierarchical_allreduce(tensor, group_size):
    rank, size = dist.get_rank(), dist.get_world_size()
    first = rank // group_size * group_size
    group = list(range(first, min(first + group_size, size)))
    leaders = list(range(0, size, group_size))
    _reduce(tensor, group)
    _reduce(tensor, leaders)
    _broadcast(tensor, leaders)
    dist.barrier()
    _broadcast(tensor, group)
