# exercise: my-allgather
# verdict: wrong
# mistake: one receive buffer appended to the list each time
# expect: all blocks are the last one received: same buffer in the list N-1 times
# hangs: no
# worlds: 3,4,5,8
import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    mine = tensor.contiguous()
    temp = torch.empty(tensor.shape, dtype=tensor.dtype)
    parts = []
    for r in range(n):
        if r == rank:
            for s in range(n):
                if s != rank:
                    dist.send(mine, s)
            parts.append(mine)
        else:
            dist.recv(temp, r)
            parts.append(temp)
    return torch.cat(parts)
