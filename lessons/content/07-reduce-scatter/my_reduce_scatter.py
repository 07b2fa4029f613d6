import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    """Returns chunk `rank` of the sum over all ranks."""
    raise NotImplementedError
