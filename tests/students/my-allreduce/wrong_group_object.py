import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as internals


def my_allreduce(tensor):
    group = internals._get_default_group()
    wide = tensor.double() if tensor.is_floating_point() else tensor.long()
    group.allreduce([wide]).wait()
    tensor.copy_(wide)
    return tensor
