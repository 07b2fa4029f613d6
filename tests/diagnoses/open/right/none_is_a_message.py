from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    for item in ("a", "b", None):
        comm.send(item, dest=1)
else:
    n = 0
    while (item := comm.recv(source=0)) is not None:
        n += 1
    print("items", n)
