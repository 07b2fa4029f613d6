from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()

if rank == 0:
    params = {"a": 7, "b": 3.14}
    params = comm.bcast(params, root=0)
else:
    params = comm.bcast(None, root=1)
print(rank, sorted(params.items()) if params else params)
