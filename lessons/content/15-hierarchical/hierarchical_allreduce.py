import torch
import torch.distributed as dist


def hierarchical_allreduce(tensor, group_size):
    """Afterwards `tensor` holds the sum over all ranks; only leaders send from group to group."""
    raise NotImplementedError
