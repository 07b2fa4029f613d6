# exercise: my-allgather
# verdict: wrong
# mistake: output buffer of type float32
# expect: dtype lost: float32 returned for integers and float64
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    k = tensor.shape[0]
    out = torch.zeros((n * k,) + tuple(tensor.shape[1:]))
    mine = tensor.float().contiguous()
    out[rank * k:(rank + 1) * k] = mine
    for r in range(n):
        if r < rank:
            dist.recv(out[r * k:(r + 1) * k], r)
            dist.send(mine, r)
        elif r > rank:
            dist.send(mine, r)
            dist.recv(out[r * k:(r + 1) * k], r)
    return out
