from mpi4py import MPI

comm = MPI.COMM_WORLD
out = comm.gather([comm.rank] * comm.rank, root=2)
if out is not None:
    print(comm.rank, out)
