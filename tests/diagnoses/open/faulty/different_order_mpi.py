from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    total = comm.allreduce(1)
    name = comm.bcast("run 7", root=0)
else:
    name = comm.bcast(None, root=0)
    total = comm.allreduce(1)
print(comm.rank, total, name)
