import torch
import torch.distributed as dist


def allreduce_and_compute(tensors, compute):
    work = None
    for i, tensor in enumerate(tensors):
        compute(i)
        if work is not None:
            work.wait()
        work = dist.all_reduce(tensor, async_op=True)
    if work is not None:
        work.wait()
