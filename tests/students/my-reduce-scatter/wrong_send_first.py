# exercise: my-reduce-scatter
# verdict: wrong
# mistake: all ranks send all their chunks before receiving
# expect: deadlock: everybody waits in send
# hangs: yes
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = [c.contiguous() for c in torch.chunk(tensor, n, 0)]
    for r in range(n):
        if r != rank:
            dist.send(parts[r], r)
    result = parts[rank].clone()
    tmp = torch.empty_like(result)
    for r in range(n):
        if r != rank:
            dist.recv(tmp, r)
            result += tmp
    return result
