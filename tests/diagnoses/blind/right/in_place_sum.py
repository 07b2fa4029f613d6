from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
x = np.array([comm.rank, 1], dtype=np.int64)
comm.Allreduce(MPI.IN_PLACE, x, op=MPI.SUM)
print(comm.rank, x.tolist())
