import torch
import torch.distributed as dist


def allreduce_and_compute(tensors, compute):
    for i, tensor in enumerate(tensors):
        compute(i)
        dist.all_reduce(tensor)
