from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
counts = [3, 0, 2, 4]
mine = np.arange(counts[rank])

if len(mine) == 0:
    print("rank", rank, "has nothing to give")
else:
    parts = comm.gather(mine.sum(), root=0)
    if rank == 0:
        print("sum", int(sum(parts)))
comm.Barrier()
