from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD
peer = 1 - comm.rank
a, b = np.zeros(2), np.zeros(2)
send, recv = comm.Send_init(a, peer), comm.Recv_init(b, peer)
for k in range(3):
    a[:] = k + 10 * comm.rank
    recv.Start(); send.Start()
    send.Wait(); recv.Wait()
    print(comm.rank, k, b[0])
