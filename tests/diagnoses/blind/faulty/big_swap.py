import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
peer = 1 - rank
N = 1_000_000

a = numpy.full(N, rank + 0.5)
b = numpy.zeros(N)
comm.Send([a, MPI.DOUBLE], dest=peer)
comm.Recv([b, MPI.DOUBLE], source=peer)
print("rank %d: %.1f" % (rank, b.mean()))
