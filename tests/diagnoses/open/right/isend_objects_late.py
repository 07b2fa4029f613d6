from mpi4py import MPI

comm = MPI.COMM_WORLD
reqs = [comm.isend({"from": comm.rank}, dest=d) for d in range(comm.size) if d != comm.rank]
got = sorted(comm.recv(source=s)["from"] for s in range(comm.size) if s != comm.rank)
MPI.Request.waitall(reqs)
print(comm.rank, got)
