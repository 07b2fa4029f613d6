from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
out = np.array([comm.rank + 0.25])
for dest in range(comm.size):
    inbox = np.zeros(1)
    reqs = [comm.Irecv(inbox, source=(comm.rank - dest) % comm.size, tag=9),
            comm.Isend(out, dest=(comm.rank + dest) % comm.size, tag=9)]
    MPI.Request.Waitall(reqs)
    print(comm.rank, "shift", dest, "gives", inbox[0])
