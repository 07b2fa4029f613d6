import torch
import torch.distributed as dist


def my_allreduce(tensor):
    """Afterwards every rank's tensor holds the sum over all ranks. Returns the tensor."""
    raise NotImplementedError
