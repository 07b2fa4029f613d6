import torch
import torch.distributed as dist


def allreduce_and_compute(tensors, compute):
    for i in range(len(tensors)):
        compute(i)
    for work in [dist.all_reduce(tensor, async_op=True) for tensor in tensors]:
        work.wait()
