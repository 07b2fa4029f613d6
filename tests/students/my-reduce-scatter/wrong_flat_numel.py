# exercise: my-reduce-scatter
# verdict: wrong
# mistake: result forced to two dimensions by view(k, -1)
# expect: shape of the result wrong unless the argument is 2-D
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    k = tensor.shape[0] // n
    flat = tensor.contiguous().view(-1)
    c = flat.numel() // n
    result = flat[rank * c:(rank + 1) * c].clone()
    tmp = torch.empty_like(result)
    for r in range(n):
        if r > rank:
            dist.send(flat[r * c:(r + 1) * c], r)
            dist.recv(tmp, r)
            result += tmp
        if r < rank:
            dist.recv(tmp, r)
            dist.send(flat[r * c:(r + 1) * c], r)
            result += tmp
    return result.view(k, -1)
