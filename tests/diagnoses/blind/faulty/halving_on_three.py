from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
size = comm.Get_size()
x = np.array([rank + 1.0])
y = np.empty(1)

lo, hi = 0, size
while hi - lo > 1:
    mid = (lo + hi + 1) // 2
    half = mid - lo
    partner = rank + half if rank < mid else rank - half
    if partner >= hi:
        partner = mid
    comm.Sendrecv(x, partner, 0, y, partner, 0)
    x = x + y
    lo, hi = (lo, mid) if rank < mid else (mid, hi)
print(rank, x[0])
