import torch
import torch.distributed as dist


def _flush(bucket):
    if not bucket:
        return
    joined = torch.cat([t.reshape(-1) for t in bucket])
    dist.all_reduce(joined)
    at = 0
    for t in bucket:
        t = joined[at:at + t.numel()].view_as(t)
        at += t.numel()


def bucketed_allreduce(tensors, bucket_elements):
    bucket, filled = [], 0
    for t in tensors:
        if bucket and filled + t.numel() > bucket_elements:
            _flush(bucket)
            bucket, filled = [], 0
        bucket.append(t)
        filled += t.numel()
    _flush(bucket)
