import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()

if rank == 0:
    buf = np.empty(50000, dtype='i')
    reqs = []
    for dest in range(1, size):
        buf[:] = dest * 100
        reqs.append(comm.Isend(buf, dest=dest))
    MPI.Request.Waitall(reqs)
else:
    part = np.empty(50000, dtype='i')
    comm.Recv(part, source=0)
    print(rank, part[0], part[-1])
