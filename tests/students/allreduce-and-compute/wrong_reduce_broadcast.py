import torch
import torch.distributed as dist


def allreduce_and_compute(tensors, compute):
    works = []
    for i, tensor in enumerate(tensors):
        compute(i)
        works.append(dist.reduce(tensor, 0, async_op=True))
    for work, tensor in zip(works, tensors):
        work.wait()
        dist.broadcast(tensor, 0)
