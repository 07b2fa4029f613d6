from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
x = np.array([comm.rank + 1.0])
if comm.rank == 0:
    total = x.copy()
    for x_r in [x] + [comm.recv(source=r) for r in range(1, comm.size)]:
        total += x_r
    print("total", total[0])
else:
    comm.send(x, dest=0)
