from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
n = 12
if comm.rank == 0:
    comm.Send(np.arange(n, dtype=np.int64), dest=1)
else:
    half = np.zeros(n // 2, dtype=np.int64)
    comm.Recv(half, source=0)
    print(half.tolist())
