from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
n = np.array([comm.rank + 2])
all_n = np.empty_like(n)
comm.Allreduce(n, all_n, op=MPI.PROD)
print("rank", comm.rank, "of", int(all_n[0]), "elements")
