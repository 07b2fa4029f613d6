from mpi4py import MPI

comm = MPI.COMM_WORLD
cart = comm.Create_cart([4], periods=[False])
left, right = cart.Shift(0, 1)
got = cart.sendrecv(cart.rank * 2, dest=right, source=left)
print(cart.rank, got)
