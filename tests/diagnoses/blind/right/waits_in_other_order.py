from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
peer = 1 - comm.rank
boxes = [np.zeros(2) for _ in range(3)]
reqs = [comm.Irecv(b, source=peer, tag=t) for t, b in enumerate(boxes)]
msgs = [np.full(2, 10.0 * comm.rank + t) for t in range(3)]
for t in (2, 0, 1):
    reqs.append(comm.Isend(msgs[t], dest=peer, tag=t))
done = 0
while done < len(reqs):
    index = MPI.Request.Waitany(reqs)
    done += 1
print(comm.rank, [float(b[0]) for b in boxes])
