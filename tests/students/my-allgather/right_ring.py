# exercise: my-allgather
# verdict: right
# hangs: no
import torch
import torch.distributed as dist


def my_allgather(tensor):
    """Returns all ranks' tensors along the first dimension, in rank order."""
    rank = dist.get_rank()
    size = dist.get_world_size()
    blocks = [torch.empty(tensor.shape, dtype=tensor.dtype) for _ in range(size)]
    blocks[rank].copy_(tensor)
    for step in range(size - 1):
        out = (rank - step) % size
        into = (rank - step - 1) % size
        work = dist.isend(blocks[out], (rank + 1) % size)
        dist.recv(blocks[into], (rank - 1) % size)
        work.wait()
    return torch.cat(blocks, dim=0)
