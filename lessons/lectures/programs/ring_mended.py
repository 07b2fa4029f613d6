"""Each rank passes its number to the right; odd ranks receive first."""
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size

mine = array("d", [rank + 1])
received = array("d", [0])
if rank % 2 == 0:
    comm.Ssend(mine, dest=right)
    comm.Recv(received, source=left)
else:
    comm.Recv(received, source=left)
    comm.Ssend(mine, dest=right)
