from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
counts = [2, 0, 3]
displs = [0, 2, 2]
mine = np.arange(counts[rank], dtype='d') + 10 * rank
everything = np.zeros(sum(counts))
comm.Allgatherv(mine, [everything, counts, displs, MPI.DOUBLE])
print(rank, everything.tolist())
