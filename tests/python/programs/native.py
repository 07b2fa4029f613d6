"""The package's own interface, with NumPy and without."""
import sys

import rankscope
from refused import refused

comm = rankscope.join()
rank, size = comm.rank, comm.size
left, right = (rank - 1) % size, (rank + 1) % size

received = bytearray(5)
status = comm.sendrecv(b"abc%02d" % rank, right, received, left, tag=3)
assert (bytes(received), status.source, status.tag, status.bytes) == (b"abc%02d" % left, left, 3, 5)
send = comm.isend(bytearray([rank]) * 2, right)
while comm.probe(left) is None:
    pass
data, status = comm.recv_message(left)
assert data == bytes([left]) * 2 and status.source == left
send.wait()
if rank == 0:
    for other in range(1, size):
        assert rankscope.recv_object(comm, other) == {"rank": other}
else:
    rankscope.send_object(comm, {"rank": rank}, 0)

if sys.argv[1:] == ["numpy"]:
    import numpy
    assert "torch" not in sys.modules
    table = numpy.zeros((3, 4))
    requests = [comm.irecv(table[1], left), comm.isend(numpy.arange(4.0) + rank, right)]
    index, _ = rankscope.wait_any(requests)
    rankscope.wait_all(requests)
    assert index in (0, 1) and table.tolist() == [[0] * 4, [left + i for i in range(4)], [0] * 4]
    # Columns have gaps: they are copied.
    if rank == 0:
        comm.send(table[:, 1], right)
        comm.recv(table[:, 0], left)
    else:
        comm.recv(table[:, 0], left)
        comm.send(table[:, 1], right)
    assert table[:, 0].tolist() == [0, 1 + (left - 1) % size, 0]
    with comm.phase("sums"):
        values = numpy.full(3, rank + 1)
        comm.allreduce(values)
        assert values.tolist() == [size * (size + 1) // 2] * 3
        comm.allreduce(values, "max", algorithm="ring")
    comm.watch(values, "totals")
    parts = numpy.zeros(2 * size)
    comm.allgather(parts, numpy.full(2, float(rank)))
    assert parts.tolist() == [r for r in range(size) for _ in range(2)]
    rankscope.combine(parts, parts)
    assert parts.tolist() == [2 * r for r in range(size) for _ in range(2)]

half = comm.split(rank % 2)
assert half.size == (size + 1 - rank % 2) // 2 and half.world_rank(half.rank) == rank
half.barrier()
with refused(ValueError, str(size + 3)):
    comm.send(b"x", size + 3)
print("rank %d of %d is fine\n" % (rank, size), end="")
