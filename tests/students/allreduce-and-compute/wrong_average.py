import torch
import torch.distributed as dist


def allreduce_and_compute(tensors, compute):
    works = []
    for i, tensor in enumerate(tensors):
        compute(i)
        works.append(dist.all_reduce(tensor, async_op=True))
    for work in works:
        work.wait()
    for tensor in tensors:
        tensor //= dist.get_world_size()
