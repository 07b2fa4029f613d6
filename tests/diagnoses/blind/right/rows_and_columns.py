from mpi4py import MPI

world = MPI.COMM_WORLD
r = world.Get_rank()
row = world.Split(r // 2, r)
col = world.Split(r % 2, r)
print(r, "row sum", row.allreduce(r), "column sum", col.allreduce(r))
row.Free()
col.Free()
