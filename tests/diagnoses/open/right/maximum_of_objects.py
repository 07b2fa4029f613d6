from mpi4py import MPI

comm = MPI.COMM_WORLD
print(comm.rank, comm.allreduce([3, 9, 4][comm.rank], op=MPI.MAX))
