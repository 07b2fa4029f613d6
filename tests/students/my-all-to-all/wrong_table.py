# exercise: my-all-to-all
# verdict: wrong
# mistake: builds the result from the rank number, as in the example arange(8) + 100r
# expect: nothing is sent: chunks of other ranks are guessed
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_all_to_all(tensor, scatter_dim, gather_dim):
    n, rank = dist.get_world_size(), dist.get_rank()
    mine = tensor.chunk(n, scatter_dim)[rank]
    return torch.cat([mine + 100 * (r - rank) for r in range(n)], gather_dim)
