"""Each rank gets every rank's array: rank 0 collects them, and hands them out."""
import numpy as np
from mpi4py import MPI


def my_allgather(comm, mine):
    rank, size = comm.Get_rank(), comm.Get_size()
    everything = np.empty((size,) + mine.shape, dtype=mine.dtype)
    if rank == 0:
        everything[0] = mine
        for place in range(1, size):
            comm.Recv(everything[place], source=MPI.ANY_SOURCE)
        for other in range(1, size):
            comm.Send(everything, dest=other)
    else:
        comm.Send(np.ascontiguousarray(mine), dest=0)
        comm.Recv(everything, source=0)
    return everything.reshape((-1,) + mine.shape[1:])
