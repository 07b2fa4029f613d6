from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
x, y = np.full(3, rank, 'd'), np.zeros(3)
req = comm.Isend(x, dest=(rank + 1) % size)
comm.Recv(y, source=(rank + 1) % size)
req.Wait()
print(rank, y[0])
