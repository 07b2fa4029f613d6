# exercise: my-allgather
# verdict: wrong
# mistake: computes the blocks from the rank numbers, as in the handout's example
# expect: blocks are r, r + 10, ...: nothing is sent
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    return torch.cat([tensor - rank + r for r in range(n)], 0)
