# exercise: my-reduce-scatter
# verdict: wrong
# mistake: slices of the argument are sent as they are
# expect: fails where the argument is not contiguous
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    k = tensor.shape[0] // n
    result = tensor[rank * k:(rank + 1) * k].clone()
    tmp = torch.zeros(result.shape, dtype=tensor.dtype)
    for r in range(n):
        piece = tensor[r * k:(r + 1) * k]
        if r > rank:
            dist.send(piece, r)
            dist.recv(tmp, r)
            result += tmp
        if r < rank:
            dist.recv(tmp, r)
            dist.send(piece, r)
            result += tmp
    return result
