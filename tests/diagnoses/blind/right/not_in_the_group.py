from mpi4py import MPI

world = MPI.COMM_WORLD
color = 0 if world.rank < 2 else MPI.UNDEFINED
sub = world.Split(color, world.rank)
if sub != MPI.COMM_NULL:
    print("inside", world.rank, sub.allgather(world.rank * 3))
else:
    print("outside", world.rank)
world.Barrier()
