from mpi4py import MPI

comm = MPI.COMM_WORLD
seen = [comm.rank]
item = comm.rank
for _ in range(comm.size - 1):
    item = comm.sendrecv(item, dest=(comm.rank + 1) % comm.size, source=(comm.rank - 1) % comm.size)
    seen.append(item)
print(comm.rank, seen)
