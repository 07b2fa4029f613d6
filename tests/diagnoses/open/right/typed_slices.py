from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
x = np.arange(10, dtype=np.int64)
if comm.rank == 0:
    comm.Send(x[2:5], dest=1)
    comm.Send(x[7:], dest=1)
else:
    y = np.zeros(10, dtype=np.int64)
    comm.Recv(y[0:3], source=0)
    comm.Recv(y[3:6], source=0)
    print(y.tolist())
