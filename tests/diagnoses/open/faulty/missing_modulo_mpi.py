from mpi4py import MPI

comm = MPI.COMM_WORLD
right = comm.rank + 1
req = comm.isend(comm.rank, dest=right)
got = comm.recv(source=(comm.rank - 1) % comm.size)
req.wait()
print(comm.rank, got)
