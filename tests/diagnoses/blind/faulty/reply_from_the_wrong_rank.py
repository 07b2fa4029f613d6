from mpi4py import MPI

comm = MPI.COMM_WORLD
me = comm.rank

if me == 0:
    for helper in (1, 2):
        comm.send({"task": helper * 10}, dest=helper)
    answers = [comm.recv(source=h) for h in (1, 2)]
    print("answers", answers)
else:
    job = comm.recv(source=me - 1)
    comm.send(job["task"] + me, dest=0)
