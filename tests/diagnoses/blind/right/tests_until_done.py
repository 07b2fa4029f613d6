from mpi4py import MPI
import time

comm = MPI.COMM_WORLD
if comm.rank == 0:
    time.sleep(0.2)
    comm.send("hello", dest=1, tag=4)
else:
    req = comm.irecv(source=0, tag=4)
    while True:
        done, text = req.test()
        if done:
            break
        time.sleep(0.01)
    print("got", text)
