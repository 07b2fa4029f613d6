from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
if comm.rank == 0:
    comm.send(np.arange(4.0), dest=1)
else:
    a = np.empty(4)
    comm.Recv(a, source=0)
    print(a.tolist())
