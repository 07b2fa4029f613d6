import torch
import torch.distributed as dist


def allreduce_and_compute(tensors, compute):
    works = []
    for i, tensor in enumerate(tensors):
        compute(i)
        if i < len(tensors) - 1:
            works.append(dist.all_reduce(tensor, async_op=True))
    for work in works:
        work.wait()
