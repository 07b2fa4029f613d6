from mpi4py import MPI
import time

comm = MPI.COMM_WORLD
if comm.rank == 0:
    time.sleep(0.1)
    comm.send([1, 2, 3], dest=1, tag=8)
else:
    while not comm.iprobe(source=0, tag=8):
        time.sleep(0.005)
    print(comm.recv(source=0, tag=8))
