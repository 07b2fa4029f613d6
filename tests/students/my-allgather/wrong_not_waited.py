import torch
import torch.distributed as dist

keep = []


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    mine = tensor.clone(memory_format=torch.contiguous_format)
    out = [torch.zeros(tensor.shape, dtype=tensor.dtype) for _ in range(n)]
    out[rank].copy_(mine)
    for r in range(n):
        if r != rank:
            keep.append((dist.isend(mine, r), mine))
            keep.append((dist.irecv(out[r], r), out[r]))
    return torch.cat(out, 0)
