# exercise: my-reduce-scatter
# verdict: wrong
# mistake: allreduce with sends of whole tensors, then cut
# expect: sends far more than D(N-1)/N bytes: an allreduce whose result is cut
# hangs: no
# worlds: 2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    total = tensor.clone(memory_format=torch.contiguous_format)
    tmp = torch.empty_like(total)
    if rank == 0:
        for r in range(1, n):
            dist.recv(tmp, r)
            total += tmp
        for r in range(1, n):
            dist.send(total, r)
    else:
        dist.send(total, 0)
        dist.recv(total, 0)
    k = tensor.shape[0] // n
    return total[rank * k:(rank + 1) * k].clone()
