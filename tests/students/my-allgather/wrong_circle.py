# exercise: my-allgather
# verdict: wrong
# mistake: all ranks send to the right before they receive
# expect: deadlock: every rank waits in send; works only if buffered
# hangs: yes
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    out = [torch.empty(tensor.shape, dtype=tensor.dtype) for _ in range(n)]
    out[rank].copy_(tensor)
    for step in range(n - 1):
        dist.send(out[(rank - step) % n], (rank + 1) % n)
        dist.recv(out[(rank - step - 1) % n], (rank - 1) % n)
    return torch.cat(out)
