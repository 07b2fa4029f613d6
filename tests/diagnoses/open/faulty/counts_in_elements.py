from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
moved = 0
data = np.ones(256)
for _ in range(3):
    if comm.rank == 0:
        comm.Send(data, dest=1)
    else:
        comm.Recv(data, source=0)
    moved += len(data)
if comm.rank == 0:
    print("moved", moved, "bytes")
