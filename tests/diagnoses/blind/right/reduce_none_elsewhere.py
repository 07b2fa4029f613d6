from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
part = np.linspace(0, 1, 3) * (comm.rank + 1)
total = np.zeros(3) if comm.rank == 2 else None
comm.Reduce(part, total, op=MPI.SUM, root=2)
if total is not None:
    print("total", total.tolist())
