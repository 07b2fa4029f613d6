# exercise: my-reduce-scatter
# verdict: wrong
# mistake: adds into a view of the argument and returns it
# expect: the argument is overwritten; the result is a view of it
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = torch.chunk(tensor, n, 0)
    tmp = torch.empty(parts[0].shape, dtype=tensor.dtype)
    for r in range(n):
        if r > rank:
            dist.send(parts[r].contiguous(), r)
            dist.recv(tmp, r)
            parts[rank].add_(tmp)
        if r < rank:
            dist.recv(tmp, r)
            dist.send(parts[r].contiguous(), r)
            parts[rank].add_(tmp)
    return parts[rank]
