# exercise: my-reduce-scatter
# verdict: wrong
# mistake: starts from zeros: the own chunk is not added
# expect: the rank's own contribution is missing
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = [c.contiguous() for c in torch.chunk(tensor, n, 0)]
    result = torch.zeros_like(parts[rank])
    tmp = torch.zeros_like(result)
    for r in range(n):
        if r > rank:
            dist.send(parts[r], r)
            dist.recv(tmp, r)
            result += tmp
        if r < rank:
            dist.recv(tmp, r)
            dist.send(parts[r], r)
            result += tmp
    return result
