from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
if comm.rank == 1:
    comm.Send(np.array([3.0, 1.0, 2.0]), dest=0)
else:
    box = np.full(100, -1.0)
    status = MPI.Status()
    comm.Recv(box, source=1, status=status)
    n = status.Get_count(MPI.DOUBLE)
    print(n, sorted(box[:n].tolist()))
