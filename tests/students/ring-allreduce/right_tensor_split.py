# exercise: ring-allreduce
# verdict: right
# hangs: no
"""Allreduce over a ring that turns to the left, with send and recv only."""

import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    """Leaves the sum over all ranks in `tensor`, on every rank."""
    rank = dist.get_rank()
    size = dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size

    flat = tensor.contiguous().view(-1)
    chunks = list(torch.tensor_split(flat, size))

    for i in range(1, 2 * size - 1):
        out = chunks[(rank + i - 2) % size]
        into = chunks[(rank + i - 1) % size]
        box = torch.empty_like(into)
        request = dist.isend(out, left)
        dist.recv(box, right)
        request.wait()
        if i < size:
            into += box
        else:
            into.copy_(box)

    if flat.data_ptr() != tensor.data_ptr():
        tensor.copy_(flat.view(tensor.shape))
