import sys
from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 1:
    print("rank 1: nothing to do")
    sys.exit(0)
elif comm.rank == 0:
    print(sorted(comm.recv(source=r) for r in (1, 2)))
else:
    comm.send(4, dest=0)
