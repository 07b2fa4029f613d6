from mpi4py import MPI

world = MPI.COMM_WORLD
lib = world.Dup()
if world.rank == 0:
    a = world.isend("user", dest=1, tag=0)
    b = lib.isend("library", dest=1, tag=0)
    MPI.Request.waitall([a, b])
else:
    print(lib.recv(source=0, tag=0))
    print(world.recv(source=0, tag=0))
