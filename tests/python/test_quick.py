"""Plain messages go to the library in one call, others the long way: nobody must see a difference."""

import os

import pytest
from programs import kRefused, needs, rankscope, run, under_exec

needs("numpy")

kProgram = """
from rankscope import _quick
LONG, OBJECTS = {long}, {objects}
if LONG:
    _quick._calls = False
from mpi4py import MPI
import numpy as np
comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
right, left = (rank + 1) % size, (rank - 1) % size
given, taken = np.arange(6, dtype="f4").reshape(2, 3) + rank, np.zeros((2, 3), dtype="f4")
small, status = np.zeros(2, dtype="i8"), MPI.Status()

def around(tag):
    request = comm.Irecv(taken, source=left, tag=tag)
    comm.Send(given, dest=right, tag=tag)
    request.Wait(status)
    assert (status.source, status.tag, status.Get_count(MPI.FLOAT)) == (left, tag, 6)
    assert taken[1][2] == left + 5 and not request

def objects(tag):
    request = comm.irecv(source=left, tag=tag)
    later = comm.isend({{"rank": rank, "tag": tag}}, dest=right, tag=tag)
    assert request.wait(status) == {{"rank": left, "tag": tag}}
    assert status.tag == tag
    later.wait()

for tag in range(3):
    around(tag)
    if OBJECTS:
        objects(tag)
    if rank % 2 == 0:
        comm.Send([given, 4], dest=right)
        comm.Recv(taken, source=left)
        if OBJECTS:
            comm.send(tag, dest=right, tag=np.int64(7))
            assert comm.recv(source=left) == tag
    else:
        comm.Recv(taken, source=left, status=status)
        assert status.Get_count(MPI.FLOAT) == 4
        comm.Send([given, 4], dest=right)
        if OBJECTS:
            comm.send(comm.recv(source=MPI.ANY_SOURCE, tag=7), dest=left, tag=np.int32(3))
    comm.Send(given[1:], dest=MPI.PROC_NULL)
    given += 0
    taken[0] = tag
half = comm.Split(rank % 2)
if OBJECTS:
    half.send(None, dest=half.rank)
    assert half.recv() is None
half.Free()
if size == 2:
    if rank == 0:
        comm.Send(np.ones(5000), dest=1, tag=4)
    else:
        large = np.zeros(5000)
        comm.Recv(large, source=0, tag=4)
        assert large.sum() == 5000
assert (comm._quick.send is _quick._never) == LONG
"""


@pytest.mark.parametrize("transport", ["ipc", "shm"])
@pytest.mark.parametrize("level", ["light", "full"])
def test_the_trace_is_the_same_both_ways(tmp_path, transport, level):
    options = ("--no-findings", "--trace", level, "--transport", transport)
    # In a full trace an object's bytes are a new array, or an old one that has changed, as memory happens to be reused.
    for name in ("quick", "long"):
        program = kProgram.format(long=name == "long", objects=level == "light")
        code, out, err = under_exec(tmp_path, program, 2, options=(*options, "-o", name + ".rankscope"))
        assert code == 0, out + err
    code, out, err = run([rankscope(), "trace", "diff", "quick.rankscope", "long.rankscope"], tmp_path)
    assert code == 0, out + err


kIsQuick = kRefused + """
from mpi4py import MPI
import numpy as np, os, threading
comm = MPI.COMM_WORLD
peer = comm.rank

def learned(values):
    comm.Send(values, dest=peer)
    comm.Recv(values, source=peer)
    return values

data = learned(learned(np.zeros(4)))
quick = comm._quick

def is_quick(values, dest=peer, tag=0):
    handle = quick.start_send(values, dest, tag, 0)
    if handle is not None:
        comm._started(handle, values).wait()
        comm.Recv(bytearray(64), source=peer)  # an array might take the place of another that is known
    return handle is not None

assert is_quick(data)
"""


def passes_alone(folder, text):
    code, out, err = under_exec(folder, kIsQuick + text, 1, options=("--no-findings",))
    assert code == 0, out + err


def test_what_is_not_plain_goes_the_long_way(tmp_path):
    passes_alone(tmp_path, """
for values in (data[1:], data.reshape(2, 2), data.astype("i4"), data.astype(">f8"), data[::2], [data, 2], bytearray(8), 1,
               "x", None):
    assert not is_quick(values), values
for dest in (comm.size, -1, MPI.PROC_NULL, 0.0, True, 1 << 40):
    assert not is_quick(data, dest), dest
assert not is_quick(data, tag=-1) and not is_quick(data, tag=1 << 40)
with refused(MPI.Exception, "MPI_ERR_RANK"):
    comm.Send(data, dest=comm.size)
with refused(MPI.Exception, "MPI_ERR_TAG"):
    comm.send(1, dest=peer, tag=-5)
frozen = learned(np.zeros(4))
frozen.flags.writeable = False
assert is_quick(frozen)
with refused(BufferError, "read-only"):
    comm.Recv(frozen, source=peer)
data.shape = (2, 2)  # the same memory as another array
assert not is_quick(data)
data.shape = (4,)
data.dtype = "i8"
assert not is_quick(data)
""")


def test_threads_children_and_who_has_left_go_the_long_way(tmp_path):
    passes_alone(tmp_path, """
found = []
thread = threading.Thread(target=lambda: found.append(is_quick(data)))
thread.start()
thread.join()
assert found == [False]
hold = threading.Event()
thread = threading.Thread(target=hold.wait)
thread.start()
assert not is_quick(data)
hold.set()
thread.join()
assert is_quick(data)
child = os.fork()
if child == 0:
    os._exit(0 if not is_quick(data) else 1)
assert os.waitpid(child, 0)[1] == 0
MPI.Finalize()
assert not is_quick(data)
with refused(Exception, "left the run"):
    comm.Send(data, dest=peer)
""")


def test_errors_are_those_of_the_line(tmp_path):
    code, out, err = under_exec(tmp_path, """
from mpi4py import MPI
import numpy as np
comm = MPI.COMM_WORLD
data = np.zeros(4)
for _ in range(3):
    comm.Sendrecv(data, 1 - comm.rank, 0, data.copy(), 1 - comm.rank, 0)
    comm.Send(data, dest=1 - comm.rank)
    comm.Recv(data, source=1 - comm.rank)
comm.Recv(data, source=1 - comm.rank)
""", 2)
    assert code != 0 and "deadlock" in (out + err) and "program.py:10" in out + err, out + err
    assert "rankscope/_" not in out + err and "mpi4py/_" not in out + err, out + err


def shared_memory():
    """Without the semaphores that Python makes in other tests meanwhile."""
    return {name for name in os.listdir("/dev/shm") if not name.startswith("sem.mp-")}


@pytest.mark.parametrize("who", ["killed", "ends"])
def test_nothing_of_shared_memory_stays(tmp_path, who):
    before = shared_memory()
    code, out, err = under_exec(tmp_path, f"""
from mpi4py import MPI
import os, signal, time
comm = MPI.COMM_WORLD
comm.Barrier()
if comm.rank == 1 and {who == "killed"}:
    os.kill(os.getpid(), signal.SIGKILL)
comm.send(0, dest=1 - comm.rank)
comm.recv(source=1 - comm.rank)
comm.Barrier()
""", 2, options=("--transport", "shm", "--no-findings"))
    assert (code == 0) == (who == "ends"), out + err
    assert not shared_memory() - before


def test_transports_that_are_none_between_processes_are_refused(tmp_path):
    for options, word in ((("--transport", "sim"), "--sim"), (("--transport", "inproc"), "ipc, tcp, shm"),
                          (("--transport", "shm", "--sim", "uniform"), "leave --transport out")):
        code, _, err = under_exec(tmp_path, "", 2, options=options)
        assert code == 2 and word in err, err
