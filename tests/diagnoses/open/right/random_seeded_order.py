import random
from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    order = [1, 2]
    random.Random(5).shuffle(order)
    print(sorted((s, comm.recv(source=s)) for s in order))
else:
    comm.send(comm.rank ** 3, dest=0)
