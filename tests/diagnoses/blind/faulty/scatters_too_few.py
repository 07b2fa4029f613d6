from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
size = comm.Get_size()
if rank == 0:
    jobs = [[i] for i in range(size - 1)]
else:
    jobs = None
job = comm.scatter(jobs, root=0)
print(rank, "does", job)
