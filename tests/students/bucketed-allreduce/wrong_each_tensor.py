import torch.distributed as dist


def bucketed_allreduce(tensors, bucket_elements):
    for tensor in tensors:
        dist.all_reduce(tensor)
