import torch
import torch.distributed as dist


def plan(sizes, most):
    """Ranges of the list that make a bucket each."""
    first, filled = 0, 0
    for k, size in enumerate(sizes):
        if k > first and filled + size > most:
            yield range(first, k)
            first, filled = k, 0
        filled += size
    if first < len(sizes):
        yield range(first, len(sizes))


def bucketed_allreduce(tensors, bucket_elements):
    under_way = []
    for which in plan([t.numel() for t in tensors], bucket_elements):
        flat = torch.cat([tensors[k].flatten() for k in which])
        under_way.append((which, flat, dist.all_reduce(flat, op=dist.ReduceOp.SUM, async_op=True)))
    for which, flat, work in under_way:
        parts = flat.split([tensors[k].numel() for k in which])
        for k, part in zip(which, parts):
            tensors[k][...] = part.reshape(tensors[k].shape)
