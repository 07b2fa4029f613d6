from mpi4py import MPI

comm = MPI.COMM_WORLD
loss = 1.0 + comm.rank
mean_loss = comm.allreduce(loss, op=MPI.SUM)
if comm.rank == 0:
    print("mean loss", mean_loss)
