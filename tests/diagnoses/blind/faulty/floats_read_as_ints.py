from mpi4py import MPI
import numpy as np

comm = MPI.COMM_WORLD

class Sensor:
    def read(self):
        return np.array([1.5, 2.5, 4.0])

if comm.Get_rank() == 1:
    comm.Send(Sensor().read(), dest=0, tag=5)
else:
    data = np.empty(3, dtype=int)
    comm.Recv(data, source=1, tag=5)
    print("max", data.max())
