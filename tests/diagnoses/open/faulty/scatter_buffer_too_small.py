from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
full = np.arange(8, dtype='d') if comm.rank == 0 else None
part = np.empty(3, dtype='d')
comm.Scatter(full, part, root=0)
print(comm.rank, part.tolist())
