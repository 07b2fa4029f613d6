from mpi4py import MPI

comm = MPI.COMM_WORLD
value, gap = comm.rank + 1, 1
while gap < comm.size:
    if comm.rank % (2 * gap) == gap:
        comm.send(value, dest=comm.rank - gap)
        break
    if comm.rank + gap < comm.size:
        value += comm.recv(source=comm.rank + gap)
    gap *= 2
if comm.rank == 0:
    print("sum", value)
