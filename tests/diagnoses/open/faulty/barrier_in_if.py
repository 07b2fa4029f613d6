from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    print("writing the header")
if comm.rank != 2:
    comm.Barrier()
print("rank", comm.rank, "goes on")
