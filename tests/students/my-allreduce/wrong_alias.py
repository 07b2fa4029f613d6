import torch
import torch.distributed as dist
from torch.distributed import all_reduce as helper


def my_allreduce(tensor):
    total = tensor.long() if not tensor.is_floating_point() else tensor.double()
    helper(total)
    tensor.copy_(total)
    return tensor
