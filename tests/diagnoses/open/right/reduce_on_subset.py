from mpi4py import MPI

world = MPI.COMM_WORLD
group = world.group.Incl([0, 3])
pair = world.Create(group)
if pair != MPI.COMM_NULL:
    print(world.rank, pair.allreduce(world.rank))
world.Barrier()
