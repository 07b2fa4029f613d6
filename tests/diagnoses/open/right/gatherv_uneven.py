from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
mine = np.full(comm.rank + 1, comm.rank, dtype='i')
counts = comm.gather(len(mine), root=0)
out = np.empty(sum(counts), dtype='i') if comm.rank == 0 else None
comm.Gatherv(mine, [out, counts] if comm.rank == 0 else None, root=0)
if comm.rank == 0:
    print(out.tolist())
