from mpi4py import MPI

comm = MPI.COMM_WORLD
peer = 1 - comm.rank
if comm.rank == 0:
    heard = comm.recv(source=peer)
    comm.send("hello from 0", dest=peer)
else:
    heard = comm.recv(source=peer)
    comm.send("hello from 1", dest=peer)
print(comm.rank, "heard", heard)
