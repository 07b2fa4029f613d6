"""Calls all of mpi4py and prints the results by rank, so that implementations can be compared."""

import array
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
lines = []


def say(*words):
    lines.append(" ".join(str(word) for word in words))


def refused(what, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
        say(what, "passes")
    except MPI.Exception as error:
        say(what, "MPI", str(error)[:25].split(":")[0])
    except Exception as error:
        say(what, type(error).__name__)


after, before = (rank + 1) % size, (rank - 1) % size

# messages of buffers
data = np.arange(5, dtype="d") + 10 * rank
got = np.zeros(5)
comm.Sendrecv(data, dest=after, sendtag=3, recvbuf=got, source=before, recvtag=3)
say("sendrecv", got)
status = MPI.Status()
request = comm.Irecv([got, 3, MPI.DOUBLE], source=before, tag=7)
sent = comm.Isend([data, 2, MPI.DOUBLE], dest=after, tag=7)
request.Wait(status)
sent.Wait()
say("irecv", got, status.Get_source(), status.Get_tag(), status.Get_count(MPI.DOUBLE), status.Get_count(),
    status.source, status.tag, status.Get_elements(MPI.DOUBLE), request == MPI.REQUEST_NULL, bool(request))
swap = np.full(3, rank, dtype="i")
comm.Sendrecv_replace(swap, dest=after, source=before)
say("replace", swap)
letters, numbers = bytearray(b"...."), array.array("f", [0, 0])
if rank == 0:
    comm.Send(b"abcd", dest=1)
    comm.Ssend([array.array("f", [1.5, 2.5]), MPI.FLOAT], dest=1, tag=2)
    comm.Send([np.arange(6, dtype="i4"), (2, 3), MPI.INT], 1, tag=4)
    comm.Send([data, "d"], dest=1, tag=5)
    comm.Send(np.array([8], dtype="q"), 1, 6)
elif rank == 1:
    comm.Recv(letters, source=0)
    comm.Recv(numbers, source=0, tag=2, status=status)
    some = np.zeros(4, dtype="i4")
    comm.Recv([some, MPI.INT], source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
    say("parts", bytes(letters), list(numbers), some, status.Get_count(MPI.INT), status.Get_tag())
    comm.Recv([got, 5, MPI.DOUBLE], 0, 5)
    eight = np.zeros(1, dtype="q")
    comm.Recv(eight, 0)
    say("more", got, eight)

# objects
if rank == 0:
    for other in range(1, size):
        comm.send({"to": other, "list": [1, 2, (3, None)]}, dest=other, tag=11)
    requests = [comm.irecv(source=other, tag=12) for other in range(1, size)]
    say("waitall", MPI.Request.waitall(requests))
else:
    obj = comm.recv(source=0, tag=11, status=status)
    say("object", obj, status.Get_source(), status.Get_tag())
    comm.send((rank, "y" * rank), 0, 12)
say("exchange", comm.sendrecv(rank * 2, dest=after, source=before), comm.sendrecv(sendobj="a", dest=rank, source=rank))
request = comm.irecv(source=before, tag=20)
comm.send([rank], dest=after, tag=20)
say("wait", request.wait(), request.wait(), request.test())
say("null", comm.recv(source=MPI.PROC_NULL), comm.send(1, MPI.PROC_NULL), MPI.REQUEST_NULL.Wait(),
    MPI.Request.Waitany([MPI.REQUEST_NULL]) == MPI.UNDEFINED)
comm.Recv(got, source=MPI.PROC_NULL, status=status)
say("null status", status.Get_source() == MPI.PROC_NULL, status.Get_tag() == MPI.ANY_TAG, status.Get_count())
if rank == 0:
    comm.Send(np.zeros(7, dtype="i"), 1, 30)
elif rank == 1:
    comm.Probe(0, 30, status)
    some = np.ones(status.Get_count(MPI.INT), dtype="i")
    comm.Recv(some, 0, 30)
    say("probe", some, comm.Iprobe(0, 30))
waiting = [comm.Irecv(np.zeros(1), before, 40 + i) for i in range(3)]
sends = [comm.Isend(np.ones(1), after, 42 - i) for i in range(3)]
order = sorted(MPI.Request.Waitany(waiting) for _ in range(3))
say("waitany", order, MPI.Request.Waitall(sends), MPI.Request.Testall(waiting))

# collectives of buffers
total, own = np.zeros(3), np.arange(3, dtype="d") * (rank + 1)
comm.Allreduce(own, total)
say("allreduce", total)
comm.Allreduce(MPI.IN_PLACE, total, op=MPI.MAX)
say("in place", total)
for name in ("SUM", "PROD", "MIN", "MAX", "BAND", "BOR", "BXOR", "LAND", "LOR", "LXOR"):
    out = np.zeros(4, dtype="i")
    comm.Allreduce(np.array([rank, rank + 1, 0, 6], dtype="i"), out, op=getattr(MPI, name))
    say(name, out)
for kind in ("i2", "u1", "i8", "f4", "c16"):
    out = np.zeros(2, dtype=kind)
    comm.Allreduce(np.array([rank, 2], dtype=kind), out)
    say(kind, out)
out = np.zeros(2, dtype="i") if rank == size - 1 else None
comm.Reduce(np.array([rank, 1], dtype="i"), out, MPI.SUM, root=size - 1)
say("reduce", out)
word = np.array([7, 8] if rank == 1 else [0, 0], dtype="l")
comm.Bcast(word, root=1)
say("bcast", word)
every = np.zeros((size, 2), dtype="f") if rank == 0 else None
comm.Gather(np.full(2, rank, dtype="f"), every, root=0)
say("gather", None if every is None else every.tolist())
part = np.zeros(2, dtype="f")
comm.Scatter(every, part, root=0)
say("scatter", part)
everyone = np.zeros(size * 2, dtype="f")
comm.Allgather([part, MPI.FLOAT], [everyone, MPI.FLOAT])
say("allgather", everyone)
everyone = np.zeros(size, dtype="i")
comm.Alltoall(np.arange(size, dtype="i") + 10 * rank, everyone)
say("alltoall", everyone)
one = np.zeros(1, dtype="i")
comm.Reduce_scatter_block(np.arange(size, dtype="i") + rank, one)
say("reduce_scatter_block", one)
comm.Scan(np.array([rank + 1], dtype="i"), one)
say("scan", one)
one[0] = -1
comm.Exscan(np.array([rank + 1], dtype="i"), one)
say("exscan", one)
counts = [r + 1 for r in range(size)]
ragged = np.full(sum(counts), -1, dtype="i") if rank == 0 else None
mine = np.full(rank + 1, rank, dtype="i")
comm.Gatherv(mine, [ragged, counts] if rank == 0 else None, root=0)
say("gatherv", ragged)
mine[:] = -5
comm.Scatterv([ragged, counts, None, MPI.INT] if rank == 0 else None, mine, root=0)
say("scatterv", mine)
ragged = np.zeros(sum(counts), dtype="i")
comm.Allgatherv(mine, (ragged, counts))
say("allgatherv", ragged)
out = np.zeros(2, dtype="d")
request = comm.Iallreduce(np.array([1.0, rank]), out)
request.Wait()
comm.Ibarrier().Wait()
say("iallreduce", out)

# collectives of objects
say("bcast", comm.bcast({"a": [1, 2]} if rank == 1 else None, root=1), comm.bcast(None, root=0))
say("gather", comm.gather("r" * rank, root=0))
say("scatter", comm.scatter([[r] * r for r in range(size)] if rank == 0 else None, root=0))
say("allgather", comm.allgather({"rank": rank}))
say("alltoall", comm.alltoall([f"{rank}to{r}" for r in range(size)]))
say("reduce", comm.reduce(rank + 1, op=MPI.PROD, root=0), comm.allreduce([rank]), comm.allreduce(rank, MPI.MAX))
say("maxloc", comm.allreduce((rank % 3, rank), op=MPI.MAXLOC), comm.allreduce((rank % 2, rank), MPI.MINLOC))
say("scan", comm.scan(rank), comm.exscan(rank))
longest = MPI.Op.Create(lambda a, b, _: max(a, b, key=len), commute=True)
say("op", comm.allreduce("z" * rank, op=longest))
add = MPI.Op.Create(lambda given, into, _: np.frombuffer(into, "i").__iadd__(np.frombuffer(given, "i")) is None)
out = np.zeros(2, dtype="i")
comm.Allreduce(np.array([rank, 1], dtype="i"), out, op=add)
say("own op", out)
comm.Barrier()
comm.barrier()

# communicators
half = comm.Split(color=rank % 2, key=-rank)
say("split", half.rank, half.size, half.allgather(rank))
none = comm.Split(MPI.UNDEFINED if rank == 0 else 1)
say("undefined", none == MPI.COMM_NULL, bool(none))
copy = comm.Dup()
say("dup", copy.rank, copy.size, MPI.Comm.Compare(comm, copy) == MPI.CONGRUENT, isinstance(copy, MPI.Intracomm))
copy.Free()
first = comm.Get_group().Incl([0, 1])
pair = comm.Create(first)
say("create", None if pair == MPI.COMM_NULL else pair.allreduce(1), first.Get_size())
say("self", MPI.COMM_SELF.rank, MPI.COMM_SELF.size, MPI.COMM_SELF.allreduce(5), MPI.COMM_SELF.bcast("b"))
dims = MPI.Compute_dims(size, 2)
grid = comm.Create_cart(dims, periods=[True, False])
say("cart", dims, grid.Get_coords(grid.rank), grid.Shift(0, 1), grid.Shift(1, 1), grid.Get_cart_rank([0, 0]),
    grid.Get_topo(), grid.dims)
row = grid.Sub([False, True])
say("sub", row.size, row.allgather(rank))
say(MPI.DOUBLE.Get_size(), MPI.INT.extent, MPI.DOUBLE.Get_name(), MPI.Is_initialized(), MPI.Wtime() <= MPI.Wtime(),
    len(MPI.Get_processor_name()) > 0)

# mistakes
refused("rank", comm.Send, data, dest=size)
refused("tag", comm.Send, data, dest=after, tag=-5)
refused("root", comm.Bcast, data, root=size)
refused("columns", comm.Send, np.zeros((3, 3))[:, 0], dest=after)
refused("list", comm.Send, [1, 2, 3, 4, 5], dest=after)
refused("number", comm.Send, 5, dest=after)
refused("read-only", comm.Recv, b"abc", source=before)
comm.Barrier()
if rank == 0:
    comm.Send(np.zeros(9), 1, 50)
elif rank == 1:
    refused("truncated", comm.Recv, np.zeros(4), source=0, tag=50)
    request = comm.Irecv(np.zeros(4), 0, 51)
comm.Barrier()

everything = comm.gather(lines, root=0)
if rank == 0:
    for number, said in enumerate(everything):
        for line in said:
            print(number, line)
    sys.stdout.flush()
if rank == 0:
    comm.Send(np.zeros(4), 1, 51)
elif rank == 1:
    request.Wait()
