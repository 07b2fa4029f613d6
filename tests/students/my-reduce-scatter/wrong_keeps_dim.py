# exercise: my-reduce-scatter
# verdict: wrong
# mistake: returns shape [1, n, ...]
# expect: one dimension too many in the result
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = tensor.reshape(n, tensor.shape[0] // n, *tensor.shape[1:]).contiguous()
    result = parts[rank:rank + 1].clone()
    tmp = torch.empty_like(result)
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
