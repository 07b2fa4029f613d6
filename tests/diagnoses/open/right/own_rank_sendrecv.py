from mpi4py import MPI

comm = MPI.COMM_WORLD
for s in range(3):
    got = comm.sendrecv(comm.rank, dest=(comm.rank + s) % 3, source=(comm.rank - s) % 3)
    print(comm.rank, s, got)
