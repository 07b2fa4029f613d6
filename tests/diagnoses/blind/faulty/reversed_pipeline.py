from mpi4py import MPI

def stage(value, rank):
    return value * 2 + rank

comm = MPI.COMM_WORLD
rank, last = comm.Get_rank(), comm.Get_size() - 1
value = 1
if rank > 0:
    value = comm.recv(source=rank - 1)
value = stage(value, rank)
if rank < last:
    comm.ssend(value, dest=rank - 1 if rank else last)
else:
    print("pipeline result", value)
