import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    """Afterwards every rank's tensor holds what rank src held. Returns the tensor."""
    raise NotImplementedError
