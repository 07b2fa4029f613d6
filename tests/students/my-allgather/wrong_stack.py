# exercise: my-allgather
# verdict: wrong
# mistake: stacks along a new dimension
# expect: shape [N, n, ...] in place of [N*n, ...]
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    mine = tensor.contiguous()
    out = [torch.empty(tensor.shape, dtype=tensor.dtype) for _ in range(n)]
    out[rank] = mine
    for r in range(n):
        for s in range(n):
            if r != s and rank == r:
                dist.send(mine, s)
            if r != s and rank == s:
                dist.recv(out[r], r)
    return torch.stack(out)
