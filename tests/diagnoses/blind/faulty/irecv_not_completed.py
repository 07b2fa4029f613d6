from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank = comm.rank
if rank == 0:
    matrix = np.arange(16, dtype=np.float64).reshape(4, 4)
    comm.Send(matrix, dest=1, tag=3)
elif rank == 1:
    matrix = np.zeros((4, 4))
    req = comm.Irecv(matrix, source=0, tag=3)
    trace = matrix.trace()
    print("trace", trace)
