from mpi4py import MPI

world = MPI.COMM_WORLD
half = world.Split(world.rank % 2, world.rank)
if half.rank == 0:
    world.ssend("token", dest=world.rank + 2)
else:
    print(world.rank, half.recv(source=0))
