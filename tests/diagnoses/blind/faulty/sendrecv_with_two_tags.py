from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
size = comm.Get_size()

sendbuf = np.full(4, rank, dtype='d')
recvbuf = np.empty(4, dtype='d')
comm.Sendrecv(sendbuf, dest=(rank + 1) % size, sendtag=rank,
              recvbuf=recvbuf, source=(rank - 1) % size, recvtag=rank)
print(rank, recvbuf)
