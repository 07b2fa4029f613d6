from mpi4py import MPI

comm = MPI.COMM_WORLD
cfg = comm.bcast({"k": 3} if comm.rank == 0 else None)
part = comm.scatter([list(range(i)) for i in range(4)] if comm.rank == 0 else None)
print(comm.rank, cfg["k"] * len(part))
