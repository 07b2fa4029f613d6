"""Rank r gets the sum of all ranks' blocks number r: all messages are on their way at the same time."""
import numpy as np
from mpi4py import MPI


def my_reduce_scatter(comm, array):
    rank, size = comm.Get_rank(), comm.Get_size()
    blocks = np.split(np.ascontiguousarray(array), size)
    total = blocks[rank].copy()
    arrived = np.empty_like(total)
    sends, receives = [], []
    for other in range(size):
        if other != rank:
            sends.append(comm.Isend(blocks[other], dest=other))
            receives.append(comm.Irecv(arrived, source=other))
    for request in receives:
        request.Wait()
        total += arrived
    MPI.Request.Waitall(sends)
    return total
