import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    """A number goes from rank to rank, and every rank adds its own. Returns what this rank holds."""
    raise NotImplementedError
