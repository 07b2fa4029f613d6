from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    total = sum(comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG) for _ in range(4))
    print("total", total)
else:
    comm.send(comm.rank, dest=0, tag=1)
    comm.send(comm.rank * 10, dest=0, tag=2)
