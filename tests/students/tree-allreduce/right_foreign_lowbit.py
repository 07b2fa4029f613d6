"""The parent of a rank is the rank without its lowest bit."""
import torch
import torch.distributed as dist


def lowbit(n):
    return n & -n


def family(rank, size):
    reach = lowbit(rank) or 1 << size.bit_length()
    children, step = [], 1
    while step < reach and rank + step < size:
        children.append(rank + step)
        step <<= 1
    return (rank - lowbit(rank) if rank else None), children


def tree_allreduce(tensor):
    parent, children = family(dist.get_rank(), dist.get_world_size())
    for child in children:
        part = tensor.new_empty(tensor.size())
        dist.recv(part, child)
        tensor.add_(part)
    if parent is not None:
        dist.send(tensor, parent)
        dist.recv(tensor, parent)
    for child in reversed(children):
        dist.send(tensor, child)
