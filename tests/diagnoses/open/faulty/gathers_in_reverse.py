from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
mine = np.full(2, rank * 3, dtype='i')
if rank:
    comm.Send(mine, dest=0)
else:
    table = np.zeros((size, 2), dtype='i')
    table[0] = mine
    for r in range(1, size):
        comm.Recv(table[size - r], source=r)
    print(table[:, 0].tolist())
