from mpi4py import MPI

comm = MPI.COMM_WORLD
load = [0.4, 0.9, 0.1][comm.rank]
value, where = comm.allreduce((load, comm.rank), op=MPI.MAXLOC)
if comm.rank == where:
    print(f"rank {where} has the largest load {value}")
