# exercise: my-reduce-scatter
# verdict: right
# hangs: no
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, r = dist.get_world_size(), dist.get_rank()
    parts = [c.contiguous() for c in tensor.split(tensor.shape[0] // n)]
    inbox = [torch.empty_like(parts[r]) for _ in range(n)]
    reqs = []
    for peer in range(n):
        if peer != r:
            reqs += [dist.isend(parts[peer], peer), dist.irecv(inbox[peer], peer)]
    for q in reqs:
        q.wait()
    inbox[r] = parts[r].clone()
    total = inbox[0]
    for other in inbox[1:]:
        total = total + other
    return total
