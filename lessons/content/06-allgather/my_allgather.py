import torch
import torch.distributed as dist


def my_allgather(tensor):
    """Returns all ranks' tensors along the first dimension, in rank order."""
    raise NotImplementedError
