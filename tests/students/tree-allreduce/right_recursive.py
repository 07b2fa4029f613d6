import torch
import torch.distributed as dist


def _children(node, size):
    step = 1
    while (node == 0 or node % (2 * step) == 0) and node + step < size:
        yield node + step
        step *= 2


def _up(data, node, parent, size):
    box = torch.empty_like(data)
    for child in _children(node, size):
        dist.irecv(box, src=child).wait()
        data += box
    if parent is not None:
        dist.isend(data, dst=parent).wait()


def _down(data, node, parent, size):
    if parent is not None:
        dist.irecv(data, src=parent).wait()
    kids = list(_children(node, size))
    for w in [dist.isend(data, dst=k) for k in reversed(kids)]:
        w.wait()


def tree_allreduce(tensor: torch.Tensor) -> None:
    node, size = dist.get_rank(), dist.get_world_size()
    parent = None if node == 0 else node - (node & -node)
    data = tensor.contiguous()
    _up(data, node, parent, size)
    _down(data, node, parent, size)
    if not tensor.is_contiguous():
        tensor.copy_(data)
