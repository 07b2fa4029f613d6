"""Mistakes with messages, one function each; the report must name the real cause."""
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD


def wrong_tag(rank, size):
    x = np.ones(4)
    if rank == 0:
        comm.Ssend(x, dest=1, tag=1)
    elif rank == 1:
        comm.Recv(x, source=0, tag=2)


def wrong_source(rank, size):
    x, y = np.ones(4), np.zeros(4)
    right = (rank + 1) % size
    request = comm.Isend(x, dest=right)
    comm.Recv(y, source=right)
    request.Wait()


def halving(rank, size):
    """Recursive halving, which needs a power of two."""
    x, y = np.ones(8), np.zeros(8)
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        if rank < middle:
            partner = rank + (middle - low)
            high = middle
        else:
            partner = rank - (middle - low)
            low = middle
        comm.Ssend(x, dest=partner)
        comm.Recv(y, source=partner)


def two_circles(rank, size):
    x, y = np.ones(4), np.zeros(4)
    partner = rank ^ 1
    comm.Ssend(x, dest=partner)
    comm.Recv(y, source=partner)


def no_waits(rank, size):
    x, y = np.ones(4), np.zeros(4)
    comm.Isend(x, dest=(rank + 1) % size)
    comm.Irecv(y, source=(rank - 1) % size)


def chain(rank, size):
    """Every rank should get the root's message, but asks the rank before it."""
    if rank == 0:
        for other in range(1, size):
            comm.ssend("task", dest=other)
    else:
        before = rank - 1
        comm.recv(source=before)


def pairs(rank, size):
    """Neighbours by pairs, where rank 1 takes the wrong side."""
    mate = rank + 1 if rank % 2 == 0 or rank == 1 else rank - 1
    comm.sendrecv(rank, dest=mate, source=mate)


def tag_order(rank, size):
    if rank == 0:
        for tag in (10, 20):
            comm.ssend("part", dest=1, tag=tag)
    else:
        for tag in (20, 10):
            comm.recv(source=0, tag=tag)


if __name__ == "__main__":
    globals()[sys.argv[1]](comm.Get_rank(), comm.Get_size())
