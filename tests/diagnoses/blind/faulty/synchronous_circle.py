from mpi4py import MPI

comm = MPI.COMM_WORLD

def rotate(obj):
    right = (comm.rank + 1) % comm.size
    left = (comm.rank - 1) % comm.size
    comm.ssend(obj, right)
    return comm.recv(source=left)

names = ["ada", "bob", "cy", "dee"]
print(comm.rank, "now holds", rotate(names[comm.rank]))
