"""Adds up a number of every rank, by passing numbers around a ring."""
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size

data = array("d", [rank + 1])
passed = array("d", data)
received = array("d", [0])
for step in range(size - 1):
    request = comm.Isend(passed, dest=right)
    comm.Recv(received, source=left)
    request.Wait()
    data[0] += received[0]
    passed[0] = received[0]
