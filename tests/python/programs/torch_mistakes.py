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


def chain(rank, size):
    """Every rank should get the root's message, but asks the rank before it."""
    x = torch.zeros(2)
    if rank == 0:
        for other in range(1, size):
            dist.send(torch.ones(2), other)
    else:
        before = rank - 1
        dist.recv(x, before)


def pairs(rank, size):
    """Neighbours by pairs, where rank 1 takes the wrong side."""
    x, y = torch.ones(2), torch.zeros(2)
    mate = rank + 1 if rank % 2 == 0 or rank == 1 else rank - 1
    if rank > mate:
        dist.recv(y, mate)
        dist.send(x, mate)
    else:
        dist.send(x, mate)
        dist.recv(y, mate)


def tag_order(rank, size):
    head, body = torch.ones(1), torch.ones(3)
    if rank == 0:
        dist.send(head, 1, tag=10)
        dist.send(body, 1, tag=20)
    else:
        dist.recv(body, 0, tag=20)
        dist.recv(head, 0, tag=10)


def lost_request(rank, size):
    box = torch.zeros(3)
    if rank == 0:
        dist.irecv(box, 1)
    else:
        dist.send(box, 0)


def early_result(rank, size):
    losses = torch.ones(3)
    handle = dist.all_reduce(losses, async_op=True)
    worst = losses.max().item()
    handle.wait()
    return worst


def lost_sum(rank, size):
    total = torch.ones(3)
    dist.all_reduce(total, async_op=True)


def next_round(rank, size):
    if rank == 0:
        row, sent = torch.zeros(4), []
        for to in range(1, size):
            row.fill_(to)
            sent.append(dist.isend(row, to))
        for one in sent:
            one.wait()
    else:
        dist.recv(torch.zeros(4), 0)


if __name__ == "__main__":
    dist.init_process_group("gloo")
    globals()[sys.argv[1]](dist.get_rank(), dist.get_world_size())
    dist.destroy_process_group()
