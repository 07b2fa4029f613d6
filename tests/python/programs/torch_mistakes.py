"""Mistakes with messages, one function each; the report must name the real cause."""
import sys

import torch
import torch.distributed as dist


def wrong_tag(rank, size):
    x = torch.ones(4)
    if rank == 0:
        dist.send(x, 1, tag=1)
    elif rank == 1:
        dist.recv(x, 0, tag=2)


def wrong_source(rank, size):
    x, y = torch.ones(4), torch.zeros(4)
    right = (rank + 1) % size
    s = dist.isend(x, right)
    dist.recv(y, right)
    s.wait()


def halving(rank, size):
    """Recursive halving, which needs a power of two."""
    x, y = torch.ones(8), torch.zeros(8)
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        if rank < middle:
            partner = rank + (middle - low)
            high = middle
        else:
            partner = rank - (middle - low)
            low = middle
        dist.send(x, partner)
        dist.recv(y, partner)


def two_circles(rank, size):
    x, y = torch.ones(4), torch.zeros(4)
    partner = rank ^ 1
    dist.send(x, partner)
    dist.recv(y, partner)


def no_waits(rank, size):
    x, y = torch.ones(4), torch.zeros(4)
    dist.isend(x, (rank + 1) % size)
    dist.irecv(y, (rank - 1) % size)


if __name__ == "__main__":
    dist.init_process_group("gloo")
    globals()[sys.argv[1]](dist.get_rank(), dist.get_world_size())
    dist.destroy_process_group()
