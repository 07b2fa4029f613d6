import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
total = 8
counts = np.array([total // size + (1 if r < total % size else 0) for r in range(size)])
displs = np.concatenate(([0], np.cumsum(counts)[:-1]))
full = np.arange(total, dtype='f') if rank == 0 else None
mine = np.empty(counts[rank], dtype='f')
comm.Scatterv([full, counts, displs, MPI.FLOAT], mine, root=0)
best = comm.allreduce(float(mine.max()), op=MPI.MAX)
print(rank, mine.tolist(), best)
