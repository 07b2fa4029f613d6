# exercise: my-reduce-scatter
# verdict: wrong
# mistake: adds up in float32
# expect: dtype lost: float32 returned, large numbers rounded
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = [c.float().contiguous() for c in torch.chunk(tensor, n, 0)]
    result = torch.zeros(parts[0].shape)
    result += parts[rank]
    tmp = torch.zeros(parts[0].shape)
    reqs = [dist.isend(parts[r], r) for r in range(n) if r != rank]
    for r in range(n):
        if r != rank:
            dist.recv(tmp, r)
            result += tmp
    for q in reqs:
        q.wait()
    return result
