from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
left = rank - 1 if rank > 0 else MPI.PROC_NULL
right = rank + 1 if rank < size - 1 else MPI.PROC_NULL
u = np.array([-1.0, rank, rank, -1.0])
comm.Sendrecv(u[1:2], left, recvbuf=u[3:4], source=right)
comm.Sendrecv(u[2:3], right, recvbuf=u[0:1], source=left)
print(rank, u.tolist())
