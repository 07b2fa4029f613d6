from mpi4py import MPI

comm = MPI.COMM_WORLD
up_to_me = comm.scan(comm.rank + 1)
before_me = comm.exscan(comm.rank + 1)
print(comm.rank, up_to_me, before_me)
