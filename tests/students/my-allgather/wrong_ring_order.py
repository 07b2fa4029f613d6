# exercise: my-allgather
# verdict: wrong
# mistake: ring blocks appended as they come, starting with the own
# expect: every rank has its own block first: rotated order
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    blocks = [tensor.contiguous()]
    for _ in range(n - 1):
        nxt = torch.empty(tensor.shape, dtype=tensor.dtype)
        req = dist.isend(blocks[-1], (rank + 1) % n)
        dist.recv(nxt, (rank - 1) % n)
        req.wait()
        blocks.append(nxt)
    return torch.cat(blocks)
