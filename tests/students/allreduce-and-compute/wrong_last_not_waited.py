import torch
import torch.distributed as dist


def allreduce_and_compute(tensors, compute):
    works = []
    for i, tensor in enumerate(tensors):
        compute(i)
        works.append(dist.all_reduce(tensor, async_op=True))
    for work in works[:-1]:
        work.wait()
