import torch
import torch.distributed as dist


def bucketed_allreduce(tensors, bucket_elements):
    joined = torch.cat([t.reshape(-1) for t in tensors])
    dist.all_reduce(joined)
    for tensor, part in zip(tensors, joined.split([t.numel() for t in tensors])):
        tensor.copy_(part.view_as(tensor))
