# exercise: my-reduce-scatter
# verdict: wrong
# mistake: sends its own chunk index to everybody, not the receiver's
# expect: the chunk that is sent is the sender's, not the receiver's
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    n, rank = dist.get_world_size(), dist.get_rank()
    parts = [c.contiguous() for c in torch.chunk(tensor, n, 0)]
    result = parts[rank].clone()
    tmp = torch.zeros_like(result)
    for r in range(n):
        if r > rank:
            dist.send(parts[rank], r)
            dist.recv(tmp, r)
            result += tmp
        if r < rank:
            dist.recv(tmp, r)
            dist.send(parts[rank], r)
            result += tmp
    return result
