# exercise: tree-allreduce
# verdict: right
# hangs: no
"""Allreduce over a binary tree, with send and recv only."""

import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    """Leaves the sum over all ranks in `tensor`, on every rank."""
    rank = dist.get_rank()
    size = dist.get_world_size()
    data = tensor.contiguous()
    temp = torch.zeros_like(data)

    i = 1
    while 2 ** (i - 1) < size:
        half = 2 ** (i - 1)
        if rank % 2 ** i == half:
            dist.send(data, rank - half)
        elif rank % 2 ** i == 0 and rank + half < size:
            dist.recv(temp, rank + half)
            data += temp
        i += 1

    while i > 1:
        i -= 1
        half = 2 ** (i - 1)
        if rank % 2 ** i == half:
            dist.recv(data, rank - half)
        elif rank % 2 ** i == 0 and rank + half < size:
            dist.send(data, rank + half)

    if data.data_ptr() != tensor.data_ptr():
        tensor.copy_(data)
