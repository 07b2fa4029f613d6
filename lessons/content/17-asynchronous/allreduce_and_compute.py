import torch
import torch.distributed as dist


def allreduce_and_compute(tensors, compute):
    """compute(i) fills tensors[i]; afterwards each tensor holds the sum over all ranks."""
    raise NotImplementedError
