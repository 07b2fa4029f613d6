from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
hist = np.zeros(4, dtype='l')
hist[comm.rank] += 1
hist[3] += 10
comm.Allreduce(hist, hist, op=MPI.SUM)
print(comm.rank, hist.tolist())
