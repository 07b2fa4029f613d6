"""mpi4py on rankscope. Where Open MPI and mpi4py are installed, what they print is what ours has to print."""

import os
import shutil
import subprocess
import sys

import pytest
from programs import WAIT_LIMIT, kPackages, kRefused, needs, rankscope, run, under_exec, write

needs("numpy")
kEverything = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "mpi_everything.py")


def everything():
    with open(kEverything, encoding="utf-8") as file:
        return file.read()


def real_lines(ranks):
    mpirun = shutil.which("mpirun")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("RANKSCOPE", "PYTHONPATH"))}
    if not mpirun or subprocess.run([sys.executable, "-c", "import mpi4py"], env=clean,
                                    stderr=subprocess.DEVNULL).returncode:
        pytest.skip("mpi4py and mpirun are not installed")
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run([mpirun, "--oversubscribe", "-n", str(ranks), sys.executable, kEverything], text=True,
                          env={**clean, **root}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=WAIT_LIMIT)
    assert done.returncode == 0, done.stderr
    return numbered(done.stdout)


def numbered(text):
    return [line for line in text.splitlines() if line[:1].isdigit() and line[1:2] == " "]


@pytest.mark.parametrize("ranks", [2, 4, 5])
def test_it_prints_what_mpi4py_prints(tmp_path, ranks):
    expected = real_lines(ranks)
    # One of its mistakes is a message that does not fit, so there would be a finding.
    code, out, err = under_exec(tmp_path, everything(), ranks, options=("--no-findings",))
    assert code == 0, out + err
    assert len(expected) > 60 * ranks
    assert numbered(out) == expected


kBegin = kRefused + """
from mpi4py import MPI
import numpy as np
comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
"""


def passes(folder, text, ranks=2, **options):
    code, out, err = under_exec(folder, kBegin + text, ranks, **options)
    assert code == 0, out + err
    return err


def deadlocks(folder, text):
    code, out, err = under_exec(folder, kBegin + text, 2)
    assert code != 0 and "deadlock" in (out + err).lower()


def test_objects_of_any_size_are_no_mistake(tmp_path):
    err = passes(tmp_path, """
if comm.rank == 0:
    comm.send("x" * 1000, dest=1)
    comm.send(None, dest=1, tag=3)
else:
    assert len(comm.recv(source=0, tag=0)) == 1000
    assert comm.irecv(source=0, tag=3).wait() is None
""")
    assert "error" not in err and "hint" not in err, err


def test_nobody_need_wait_for_a_buffered_send(tmp_path):
    err = passes(tmp_path, """
MPI.Attach_buffer(bytearray(100000))
got = np.empty(5000)
comm.Bsend(np.arange(5000.0), dest=1 - rank)
comm.Bsend([np.arange(3, dtype="i"), MPI.INT], dest=rank, tag=1)
comm.Recv(got, source=1 - rank)
few = np.empty(3, dtype="i")
comm.Recv(few, source=rank, tag=1)
assert got[-1] == 4999 and list(few) == [0, 1, 2]
MPI.Detach_buffer()
comm.bsend("last", dest=1 - rank)
assert comm.recv() == "last"
""")
    assert "warning" not in err and "dtype" not in err, err


def test_small_sends_are_eager_and_large_ones_are_not(tmp_path):
    passes(tmp_path, """
comm.Send(np.zeros(4), dest=1 - rank)
comm.Recv(np.zeros(4), source=1 - rank)
comm.send("x", dest=1 - rank)
assert comm.recv(source=1 - rank) == "x"
""", options=("--no-findings",))  # there is one: it needs buffered sends
    deadlocks(tmp_path, """
comm.Send(np.zeros(1 << 20), dest=1 - rank)
comm.Recv(np.zeros(1 << 20), source=1 - rank)
""")


def test_ssend_waits_for_its_receive(tmp_path):
    deadlocks(tmp_path, """
comm.ssend("x", dest=1 - rank)
comm.recv(source=1 - rank)
""")


def test_messages_that_do_not_fit_are_truncated_and_other_errors_are_not(tmp_path):
    passes(tmp_path, """
import rankscope
if rank == 0:
    comm.Send(np.zeros(9), 1)
    comm.Send(np.zeros(9), 1)
else:
    for receive in (lambda: comm.Recv(np.zeros(4), 0), lambda: comm.Irecv(np.zeros(4), 0).Wait()):
        with refused(MPI.Exception, "MPI_ERR_TRUNCATE"):
            receive()
with refused(MPI.Exception, "MPI_ERR_TRUNCATE"):
    comm.Allgather(np.zeros(4), np.zeros(4))
with refused(MPI.Exception, "gaps between them"):
    comm.Allgather(np.zeros(1), np.zeros(4))
comm.Barrier()
if rank == 0:
    with refused(rankscope.CommunicationError, "cannot be reduced"):
        comm.Ireduce(np.zeros(3), np.zeros(3)).Wait()
else:
    comm.Ireduce(np.zeros(2), None).Wait()
""", options=("--no-findings",))


def test_torch_tensors_are_buffers(tmp_path):
    needs("torch")
    passes(tmp_path, """
import torch
t = torch.full((2, 3), float(rank))
comm.Sendrecv(t.clone(), 1 - rank, recvbuf=t, source=1 - rank)
assert t.tolist() == [[1.0 - rank] * 3] * 2
comm.Allreduce(MPI.IN_PLACE, t)
assert t.tolist() == [[1.0] * 3] * 2
""")


def test_counts_that_do_not_fit_are_refused(tmp_path):
    passes(tmp_path, """
for wrong in ([np.zeros(3), 4, MPI.DOUBLE], [np.zeros(3), 2, 2, MPI.DOUBLE], [np.zeros(3, "b"), MPI.INT]):
    with refused(ValueError):
        comm.Send(wrong, 1 - rank)
""")


def test_a_rank_that_does_not_exist_is_refused_with_the_start_that_has_it(tmp_path):
    passes(tmp_path, """
with refused(MPI.Exception, "start it with -n 5"):
    comm.send(1, dest=4)
with refused(MPI.Exception, "start it with -n 5."):  # the highest rank that is named
    comm.send(1, dest=2)
with refused(MPI.Exception, "there are ranks 0 to 1. Take the number modulo"):
    comm.send(1, dest=size)
child = 2 * rank + 3
with refused(MPI.Exception, "there is no such rank (if child < size:)"):
    comm.send(1, dest=child)
""")
    passes(tmp_path, """
with refused(MPI.Exception, "start it with -n 8"):
    for one in [2, 7]:
        comm.send(1, dest=one)
""")


def test_a_sendrecv_in_one_memory_is_warned_of_at_its_line(tmp_path):
    shared = kBegin + """
row = np.arange(8.0)
comm.Sendrecv(row[:4].copy(), 1 - rank, recvbuf=row[4:], source=1 - rank)
comm.Sendrecv(row[1:5], 1 - rank, recvbuf=row[4:], source=1 - rank)
"""
    code, out, err = under_exec(tmp_path, shared, 2)
    line = shared.count("\n")
    assert f"program.py:{line}: UserWarning: Sendrecv: both buffers are in one memory" in err, err
    assert f"program.py:{line - 1}: UserWarning" not in err
    code, out, err = under_exec(tmp_path, kBegin + """
row = np.arange(8.0)
comm.Sendrecv(row[:4], 1 - rank, recvbuf=row[4:], source=1 - rank)
comm.Sendrecv(row, MPI.PROC_NULL, recvbuf=row, source=MPI.PROC_NULL)
""", 2)
    assert "one memory" not in err, err


def test_what_is_missing_is_named(tmp_path):
    passes(tmp_path, """
for what, call in {"MPI.Win is not in rankscope's mpi4py. There is no one-sided communication": lambda: MPI.Win,
                   "Use Isend and Irecv with each neighbour": lambda: comm.Create_graph([1], [0]),
                   "give some of them the work": lambda: MPI.Intracomm.Spawn(comm, "worker"),
                   "Datatype.Create_vector": lambda: MPI.INT.Create_vector(2, 1, 3)}.items():
    with refused(NotImplementedError, what):
        call()
assert not hasattr(MPI, "File")
with refused(ModuleNotFoundError, "no windows, files or pools"):
    from mpi4py.futures import MPIPoolExecutor
""", ranks=1)


def test_two_groups_exchange_over_an_intercommunicator(tmp_path):
    passes(tmp_path, """
color = rank >= size // 3
both = comm.Split(color, 0).Create_intercomm(0, comm, 0 if color else size // 3, 7)
others = [r for r in range(size) if (r >= size // 3) != color]
assert (both.size, both.remote_size, both.Is_inter()) == (size - len(others), len(others), True)
assert both.allgather(rank) == others and both.allreduce(rank) == sum(others)
if both.rank < min(both.size, both.remote_size):
    status = MPI.Status()
    both.send(rank, dest=both.rank)
    assert both.recv(source=MPI.ANY_SOURCE, status=status) == others[both.rank] and status.source == both.rank
root = (MPI.ROOT if both.rank == 1 else MPI.PROC_NULL) if color else 1
assert both.bcast("x" if color else None, root=root) == (None if color else "x")
assert both.reduce(rank, root=root) == (sum(others) if color and both.rank == 1 else None)
whole = both.Merge(high=not color)
assert whole.allgather(rank) == list(range(size // 3, size)) + list(range(size // 3))
with refused(MPI.Exception, "the other group has ranks 0 to"):
    both.send(1, dest=size)
""", ranks=6)


def test_a_probed_message_is_received_once_whoever_receives_besides(tmp_path):
    passes(tmp_path, """
if rank == 0:
    seen = []
    for _ in range(size - 1):
        status = MPI.Status()
        message = comm.Mprobe(status=status)
        room = np.empty(status.Get_count(MPI.DOUBLE))
        message.Recv(room)
        seen.append((status.Get_source(), room.tolist()))
        assert not message
        with refused(MPI.Exception, "received already"):
            message.Recv(room)
    assert sorted(seen) == [(r, [float(r)] * r) for r in range(1, size)]
    assert comm.improbe() is None and comm.mprobe(source=MPI.PROC_NULL).recv() is None
    comm.Barrier()
    assert comm.mprobe(source=1).recv() == "words"
    message = comm.mprobe(source=2)
    with refused(TypeError, "mixes buffers and objects"):
        message.Recv(np.empty(4))
else:
    comm.Send(np.full(rank, float(rank)), 0)
    comm.Barrier()
    comm.send("words", 0) if rank < 3 else None
""", ranks=3)


@pytest.mark.parametrize("text", [
    "print('hello from', comm.rank)",
    "print(comm.Split(comm.rank % 2).size)",
    "if comm.rank == 0:\n    comm.send(7, dest=1)\nelif comm.rank == 1:\n    comm.recv(source=0)",
], ids=["hello", "split", "two by their numbers"])
def test_demonstrations_get_no_hint(tmp_path, text):
    code, out, err = under_exec(tmp_path, f"from mpi4py import MPI\ncomm = MPI.COMM_WORLD\n{text}\n", 4)
    assert code == 0 and "hint:" not in err, err
    assert ("Every send was received" in err) == ("send" in text), err


@pytest.mark.parametrize("kept, error", [("box", True), ("box.copy()", False)])
def test_a_buffer_that_is_kept_and_sent_is_named_with_the_line_that_keeps_it(tmp_path, kept, error):
    text = kBegin + f"""
parts, box = [np.full(2, 10.0 * rank + i) for i in range(size)], np.empty(2)
for step in range(size - 1):
    comm.Sendrecv(parts[(rank - step) % size], (rank + 1) % size, recvbuf=box, source=(rank - 1) % size)
    parts[(rank - step - 1) % size] = {kept}
"""
    code, out, err = under_exec(tmp_path, text, 3)
    assert code == (1 if error else 0), err
    line = text[:text.index("] = box")].count("\n") + 1
    named = f"program.py:{line} keeps the buffer itself, not what has come: keep box.copy()."
    assert (named in err) == error and "Wait for the request" not in err, err


def test_a_probe_for_a_message_that_does_not_come_names_the_one_that_came(tmp_path):
    text = kBegin + """
if rank == 0:
    comm.Probe(source=1, tag=5)  # probes
else:
    comm.send("x", dest=0, tag=6)
"""
    path = write(tmp_path, "program.py", text)
    code, out, err = run([rankscope(), "exec", "-n", "2", "--timeout", "4", "--", sys.executable, path], tmp_path)
    line = text[:text.index("# probes")].count("\n") + 1
    assert code == 1 and f"rank 0 probes at program.py:{line} for a message that does not come" in err, err
    assert f"from rank 1 with tag 6 (sent at program.py:{line + 2})" in err, err


def test_a_receive_of_a_probed_size_from_anybody_is_an_error(tmp_path):
    text = kBegin + """
if rank == 0:
    for _ in range(size - 1):
        status = MPI.Status()
        comm.Probe(status=status)
        comm.Recv(np.empty(status.Get_count(MPI.DOUBLE)){source})
else:
    comm.recv(source=1) if rank == 2 else None  # so that the shorter message comes first
    comm.Send(np.full(3 * rank, 1.0 * rank), 0)
    comm.send("now", dest=2) if rank == 1 else None
"""
    code, out, err = under_exec(tmp_path, text.format(source=""), 3)
    assert code == 1 and "Receive from the rank and the tag that the status of the probe names" in err, err
    code, out, err = under_exec(tmp_path, text.format(source=", status.Get_source()"), 3)
    assert code == 0 and "error:" not in err, err


def test_groups_of_ranges(tmp_path):
    passes(tmp_path, """
group = comm.Get_group()
even, others = group.Range_incl([(0, 2, 2)]), group.Range_excl([(2, 0, -2)])
assert (even.size, others.size, MPI.Group.Compare(even, group)) == (2, 1, MPI.UNEQUAL)
part = comm.Create(even)
assert part == MPI.COMM_NULL if rank == 1 else part.allreduce(1) == 2
with refused(NotImplementedError, "Group.Other is not in rankscope's mpi4py"):
    group.Other
assert MPI.Comm.Get_parent() == MPI.COMM_NULL
""", ranks=3)


@pytest.mark.parametrize("call, what", [
    ("MPI.Win.Create(np.zeros(2), comm=comm)", "MPI.Win"), ("if rank == 0:\n    comm.Spawn('a')\ncomm.barrier()", "Comm.Spawn"),
    ("from mpi4py import futures", "mpi4py.futures"), ("from mpi4py.futures import MPIPoolExecutor", "mpi4py.futures")])
def test_a_part_that_is_not_here_is_no_mistake_of_the_program(tmp_path, call, what):
    code, _, err = under_exec(tmp_path, kBegin + call + "\n", 2)
    assert code == 69 and f"error: not supported  rankscope's mpi4py has no {what} (program.py:" in err, err
    assert "the program is not at fault" in err and "lost rank" not in err and "Correct the line" not in err, err


@pytest.mark.parametrize("call, words", [
    ("part = np.zeros(5)\ncomm.Scatter(np.arange(6.0) if rank == 0 else None, part)\nassert part[2] == 3 * rank + 2",
     "hint: misused call  at program.py:20 on rank 0: Scatter gives each rank 3 elements, and the receive buffer has room for 5"),
    ("pi = 0\nwhole = comm.reduce(pi)\npi += 4 / (1 + rank)",
     "error: misused call  at program.py:20 on rank 0: reduce is given pi before line 21 computes it: it is 0 here"),
    ("comm.send(1, 1) if rank == 0 else None\ncomm.barrier()\ncomm.recv(source=0) if rank == 1 else None",
     "Rank 1 receives at program.py:21 only after it was in the built-in barrier at program.py:20, and that needs rank 0."),
    ("comm.send(1, 1) if rank == 0 else None\nprint(comm.recv(source=0))", "try: Leave rank 0 out of this receive: if rank != 0."),
    ("total = 1\nprint(totl)", "try: Write total in line 20."),
    ("comm.scatter([1, 2, 3] if rank == 0 else None)",
     "try: Divide it into one part for each rank: numpy.array_split([1, 2, 3], 2), or"),
    ("comm.send(rank, 0)\nif rank == 0:\n    print([comm.recv(source=one) for one in range(size)])",
     "otherwise rank 0 would wait for itself"),
], ids=["room", "early", "barrier", "source", "name", "list", "itself"])
def test_the_advice_is_for_the_mistake(tmp_path, call, words):
    _, out, err = under_exec(tmp_path, kBegin + call + "\n", 2)
    assert words in err and "Correct the line" not in err and "nobody receives" not in err, err


def test_a_request_whose_status_was_done_needs_no_wait(tmp_path):
    err = passes(tmp_path, """
if rank == 0:
    request = comm.isend("x" * 9, 1)
    while not request.Get_status():
        pass
else:
    request, status = comm.irecv(source=0), MPI.Status()
    while not request.Get_status(status):
        pass
    assert status.Get_source() == 0 and request.wait() == "x" * 9
""")
    assert "never waited for" not in err, err


def test_a_chain_is_no_exchange_of_pairs(tmp_path):
    code, out, err = under_exec(tmp_path, kBegin + """
for step in range(2):
    if rank > 0:
        comm.recv(source=rank - 1)
    if rank < size - 1:
        comm.ssend(step, dest=rank + 1)
    else:
        comm.ssend(step, dest=rank - 1)
for step in range(2):
    if rank < size - 1:
        comm.recv(source=rank + 1)
    if 0 < rank < size - 1:
        comm.ssend(step, dest=rank - 1)
""", 4)
    assert code == 1 and "deadlock  2 → 3 → 2" in err and "form pairs" not in err, err


def test_abort_ends_all_ranks(tmp_path):
    code, out, err = under_exec(tmp_path, kBegin + """
if rank == 1:
    comm.Abort(7)
comm.recv(source=1)
""", 3)
    assert code != 0 and "errorcode 7" in err


def test_without_n_there_is_one_rank(tmp_path):
    code, out, err = under_exec(tmp_path, "from mpi4py import MPI\nprint(MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank)\n")
    assert code == 0 and "1 0" in out and "-n 4" in err


def test_importing_joins_nothing(tmp_path):
    code, out, err = run([sys.executable, "-c", "from mpi4py import MPI; print(MPI.SUM, MPI.COMM_SELF.size)"],
                         tmp_path)
    assert code == 0 and out.split() == ["<mpi4py.MPI.Op", "MPI_SUM>", "1"], err
    assert os.path.isdir(os.path.join(kPackages, "site", "mpi4py"))


@pytest.mark.parametrize("transport, during", [("ipc", os.SCHED_BATCH), ("shm", os.SCHED_OTHER)])
def test_only_ranks_over_sockets_wait_for_who_runs_and_only_in_the_run(tmp_path, transport, during):
    ranks = len(os.sched_getaffinity(0)) + 1
    code, out, err = under_exec(tmp_path, """
import os
from mpi4py import MPI
policies = [os.sched_getscheduler(0)]
MPI.COMM_WORLD.Barrier()
policies.append(os.sched_getscheduler(0))
MPI.Finalize()
print("policies", *policies, os.sched_getscheduler(0))
""", ranks, options=("--transport", transport))
    assert code == 0, err
    lines = [line for line in out.splitlines() if line.startswith("policies")]
    # The first one is of before the rank has joined: an import alone does not.
    assert lines == [f"policies {os.SCHED_OTHER} {during} {os.SCHED_OTHER}"] * ranks, out


def test_a_rank_that_looks_again_and_again_lets_the_others_run(tmp_path):
    code, out, err = under_exec(tmp_path, """
import os
import numpy
from mpi4py import MPI
comm = MPI.COMM_WORLD
for thread in os.listdir("/proc/self/task"):
    os.sched_setaffinity(int(thread), [min(os.sched_getaffinity(0))])
comm.Barrier()
other, data, looks = 1 - comm.rank, numpy.zeros(4), 0
for i in range(100):
    if comm.rank == i % 2:
        comm.Send(data, dest=other)
    else:
        while not comm.Iprobe(source=other):
            looks += 1
        request = comm.Irecv(data, source=other)
        while not request.Test():
            looks += 1
print("looks", looks)
""", 2)
    assert code == 0, err
    looks = [int(line.split()[1]) for line in out.splitlines() if line.startswith("looks")]
    assert len(looks) == 2 and max(looks) < 50 * 100, looks  # a slice is thousands of looks


def test_types_that_do_not_agree(tmp_path):
    needs("numpy")
    code, out, err = under_exec(tmp_path, """
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
try:
    comm.Allreduce(np.ones(4, np.float32), np.zeros(4, np.float64))
    raise SystemExit("was not refused")
except ValueError as error:
    assert "mismatch in send and receive MPI datatypes: MPI_FLOAT is sent, and MPI_DOUBLE received" in str(error)
data = np.arange(4)
if comm.rank == 0:
    comm.Send([data, 4, MPI.BYTE], dest=1)
elif comm.rank == 1:
    comm.Recv([data, 4, MPI.BYTE], source=0)
""", 2)
    assert code == 1, out + err
    assert "misused call  at program.py:12 on rank 0: 4 elements of 8 bytes, but MPI_BYTE counts elements of 1" in err


def test_memory_in_another_order_is_warned_of(tmp_path):
    needs("numpy")
    code, out, err = under_exec(tmp_path, """
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank = comm.rank
a = np.arange(6.0).reshape(2, 3)
every = np.empty((2, 3, 2))
comm.Allgather(a.T, every)
comm.Allreduce(np.ones((3, 2)), np.empty((3, 2), order="F"))
if rank == 0:
    comm.Send(a.T, 1)
else:
    comm.Recv(np.empty((3, 2)), 0)
comm.Allreduce(a.T, np.empty((2, 3)).T)
comm.Allreduce(np.asfortranarray(a), np.empty((2, 3), order="F"))
comm.Allgather(np.ascontiguousarray(a.T), every)
comm.Allgather(a[:1].T, np.empty((2, 3)))
""", 2)
    # In line 8 both arrays are known, and their numbers show it; in the others nothing is proved.
    assert code == 1, out + err
    said = [line for line in err.splitlines() if "in Fortran's order" in line]
    assert [line for line in said if "misused call  at program.py:8 on ranks 0 and 1" in line], err
    warned = {line.partition(": ")[0] for line in said if "misused call" not in line}
    assert warned == {"program.py:9"} and any("hint: misused call  at program.py:11 on rank 0" in one for one in said), err


def test_an_irecv_without_a_buffer_has_room_for_32_kib(tmp_path):
    needs("numpy")
    code, out, err = under_exec(tmp_path, """
from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank == 0:
    comm.send("x" * 40000, 1)
    comm.send("x" * 40000, 1)
else:
    assert len(comm.irecv(bytearray(1 << 20), source=0).wait()) == 40000
    comm.irecv(source=0).wait()
""", 2)
    assert code == 1
    assert "MPI_ERR_TRUNCATE" in err and "irecv has room for 32768" in err and "program.py:9" in err


def test_messages_that_nobody_waited_for_go_on_at_the_end(tmp_path):
    needs("numpy")
    code, out, err = under_exec(tmp_path, """
import time
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
if rank == 0:
    kept = comm.Isend(np.ones(4000), 1)
    comm.Isend(np.ones(4000), 2)
else:
    time.sleep(0.1 * rank)
    comm.Recv(np.empty(4000), 0)
""", 3)
    assert "3 ranks, ended well" in err, err
    assert "nobody waits for rank 0's send to rank" in err and "deadlock" not in err


@pytest.mark.parametrize("ranks, lines, words", [
    (4, ["peers = {0: [1, 2], 1: [2], 2: [0, 1, 3], 3: [0, 2]}[rank]", "x = np.ones(3)",
         "MPI.Request.Waitall([comm.Isend(x, p) for p in peers] + [comm.Irecv(np.empty(3), p) for p in peers])"],
     ["rank 0 exchanges with rank 1, but rank 1 not with rank 0", "rank 3 exchanges with rank 0, but rank 0 not with rank 3",
      "Add rank 0 to those of rank 1, rank 3 to those of rank 0"]),
    (4, ["def total(value, comm=comm):", "    return comm.allreduce(value)", "half = comm.Split(rank % 2, rank)",
         "total(1.0, half)", "if rank % 2 == 0:", "    total(2.0)", "comm.Barrier()"],
     ["ranks 0 and 2 call allreduce at program.py:7, called from program.py:11", "is one of the world, not of ranks 0 and 2 alone"]),
    (3, ["if rank == 0:", "    for worker in range(1, size):", "        comm.Reduce(np.zeros(2), np.empty(2))",
         "else:", "    comm.Reduce(np.ones(2), None)"],
     ["rank 0 calls reduce at program.py:8", "take the call at program.py:8 out of its loop"])],
    ids=["neighbours", "default communicator", "reduce in a loop"])
def test_calls_of_some_ranks_are_named_with_what_repairs_them(tmp_path, ranks, lines, words):
    needs("numpy")
    head = ["import numpy as np", "from mpi4py import MPI", "comm = MPI.COMM_WORLD", "rank, size = comm.rank, comm.size"]
    code, out, err = under_exec(tmp_path, "\n" + "\n".join(head + lines), ranks)
    assert code == 1
    for one in words:
        assert one in err, err


def test_neighbours_in_a_grid_exchange_objects(tmp_path):
    code, out, err = under_exec(tmp_path, """
from mpi4py import MPI
ring = MPI.COMM_WORLD.Create_cart([2], periods=True)
r = ring.rank
assert ring.outedges == [1 - r, 1 - r] and ring.indegree == 2
assert ring.neighbor_alltoall([(r, "left"), (r, "right")]) == [(1 - r, "right"), (1 - r, "left")]
line = MPI.COMM_WORLD.Create_cart([2], periods=False)
assert line.neighbor_allgather(r) == ([None, 1], [0, None])[r]
""", 2)
    assert code == 0, err
