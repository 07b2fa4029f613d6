import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    data = tensor.contiguous()
    dist.broadcast(data, src=src)
    tensor.copy_(data)
    return tensor
