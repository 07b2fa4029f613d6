# exercise: my-reduce-scatter
# verdict: wrong
# mistake: chunk r taken as rows r, r+N, r+2N ...
# expect: chunks are strided rows, not neighbouring rows
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = [tensor[r::n].contiguous() for r in range(n)]
    result = parts[rank].clone()
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
