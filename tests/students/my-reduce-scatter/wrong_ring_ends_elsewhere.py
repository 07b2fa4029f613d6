# exercise: my-reduce-scatter
# verdict: wrong
# mistake: ring leaves rank r with chunk r + 1
# expect: rank r returns the sum of chunk r + 1 (ring off by one)
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = [c.clone(memory_format=torch.contiguous_format) for c in torch.chunk(tensor, n, 0)]
    tmp = torch.empty_like(parts[0])
    for s in range(n - 1):
        req = dist.isend(parts[(rank - s) % n], (rank + 1) % n)
        dist.recv(tmp, (rank - 1) % n)
        req.wait()
        parts[(rank - s - 1) % n] += tmp
    return parts[(rank + 1) % n]
