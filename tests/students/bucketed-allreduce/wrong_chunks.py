import torch
import torch.distributed as dist


def bucketed_allreduce(tensors, bucket_elements):
    for tensor in tensors:
        for chunk in tensor.view(-1).split(bucket_elements):
            dist.all_reduce(chunk)
