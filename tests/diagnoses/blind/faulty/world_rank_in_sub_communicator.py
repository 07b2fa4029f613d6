from mpi4py import MPI

world = MPI.COMM_WORLD
row = world.Split(color=world.rank // 2, key=world.rank)
value = world.rank * 5
# the first rank of each row collects
leader = (world.rank // 2) * 2
total = row.reduce(value, op=MPI.SUM, root=leader)
if world.rank == leader:
    print("row", world.rank // 2, "total", total)
