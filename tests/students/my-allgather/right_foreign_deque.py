import collections

import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    blocks = collections.deque([tensor.contiguous()])
    below, above = (rank - 1) % size, (rank + 1) % size
    while len(blocks) < size:
        coming = torch.empty_like(blocks[0])
        ops = [dist.P2POp(dist.isend, blocks[0], above), dist.P2POp(dist.irecv, coming, below)]
        for work in dist.batch_isend_irecv(ops):
            work.wait()
        blocks.appendleft(coming)
    # The leftmost one has come the longest way: from rank + 1.
    blocks.rotate(rank + 1)
    return torch.cat(tuple(blocks), dim=0)
