from mpi4py import MPI

WORK, STOP = 1, 2
comm = MPI.COMM_WORLD

def master(tasks):
    results, open_ = [], 0
    for w in range(1, comm.size):
        comm.send(tasks.pop(), dest=w, tag=WORK)
        open_ += 1
    while open_:
        status = MPI.Status()
        results.append(comm.recv(source=MPI.ANY_SOURCE, status=status))
        if tasks:
            comm.send(tasks.pop(), dest=status.source, tag=WORK)
        else:
            comm.send(None, dest=status.source, tag=STOP)
            open_ -= 1
    return sorted(results)

def worker():
    status = MPI.Status()
    while True:
        task = comm.recv(source=0, tag=MPI.ANY_TAG, status=status)
        if status.tag == STOP:
            return
        comm.send(task ** 2, dest=0)

if comm.rank == 0:
    print(master([1, 2, 3, 4, 5, 6, 7]))
else:
    worker()
