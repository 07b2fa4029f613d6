from mpi4py import MPI

comm = MPI.COMM_WORLD
req = comm.Ibarrier()
work = sum(i for i in range(1000) if i % (comm.rank + 2) == 0)
req.Wait()
print(comm.rank, work)
