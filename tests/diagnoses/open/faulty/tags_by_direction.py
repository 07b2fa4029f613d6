from mpi4py import MPI

PING, PONG = 1, 2
comm = MPI.COMM_WORLD
if comm.rank == 0:
    comm.send("ping", dest=1, tag=PING)
    print(comm.recv(source=1, tag=PING))
else:
    print(comm.recv(source=0, tag=PING))
    comm.ssend("pong", dest=0, tag=PONG)
