from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
if rank == 0:
    sizes = {}
    for _ in range(2):
        st = MPI.Status()
        comm.Probe(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=st)
        buf = np.empty(st.Get_count(MPI.DOUBLE))
        comm.Recv(buf, source=st.Get_source(), tag=st.Get_tag())
        sizes[st.Get_source()] = len(buf)
    print(sorted(sizes.items()))
else:
    comm.Send(np.ones(rank * 4), dest=0, tag=rank)
