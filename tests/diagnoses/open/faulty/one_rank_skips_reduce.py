from mpi4py import MPI

comm = MPI.COMM_WORLD
value = [2, 0, 5][comm.rank]
if value:
    total = comm.allreduce(value)
    print(comm.rank, "total", total)
