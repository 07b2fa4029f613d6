"""What a program receives and loses, and errors of its own whose repair its text shows, under `rankscope exec`."""

import pytest
from programs import kRefused, needs, under_exec
from rankscope import _advice, _notes

needs("numpy")
kBegin = kRefused + """
from mpi4py import MPI
import numpy as np
comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
"""


@pytest.mark.parametrize("mine, line, severity", [
    ("None", "comm.bcast(x)", "error"), ("rank", "comm.bcast(x)", "hint"), ("None", "x = comm.bcast(x)", None),
    ("None", "comm.bcast(x)\nx = comm.bcast(x)", None), ("7", "comm.bcast(x)", None),
    ("rank", "comm.allreduce(x)", "error"), ("rank", "for step in range(2): comm.allreduce(x)", None),
    ("rank", "begun = MPI.Wtime()\ncomm.allreduce(x)\nprint(MPI.Wtime() - begun)", None),
    ("None", "comm.send(x, dest=1) if rank == 0 else rank == 1 and print(comm.recv(source=0))", None),
    ("None", "if rank == 0: comm.send(x, dest=1)\nif rank == 1: comm.recv(source=0)", "error"),
    ("7", "if rank == 0: comm.send(x, dest=1)\nif rank == 1: comm.recv(source=0)", None),
    ("None", "if rank > 0: comm.recv(source=rank - 1)\nif rank < size - 1: comm.send(x, dest=rank + 1)", "hint"),
    ("None", "if rank == 0: comm.send('go', dest=1)\nif rank == 1: comm.recv(source=0)", None)])
def test_an_object_that_is_thrown_away_is_named(tmp_path, mine, line, severity):
    code, out, err = under_exec(tmp_path, kBegin + f"x = 7 if rank == 0 else {mine}\n{line}\nprint(x)\n", 3)
    said = [one.partition(":")[0] for one in err.splitlines() if "returns what has come" in one]
    assert said == ([severity] if severity else []), err
    assert code == (1 if severity == "error" else 0), err


kLost = "a name of share alone"


@pytest.mark.parametrize("body, call, name", [
    ("if rank: data = comm.recv(source=0)\n    else: [comm.send(data, dest=r) for r in range(1, size)]",
     "x = bytearray(b'ab' if rank == 0 else b'cd')\nshare(x)", "data"),
    ("if rank: data = comm.recv(source=0)\n    else: [comm.send(data, dest=r) for r in range(1, size)]\n    return data",
     "x = bytearray(b'ab' if rank == 0 else b'cd')\nx = share(x)", None),
    ("if rank: data[:] = comm.recv(source=0)\n    else: [comm.send(data, dest=r) for r in range(1, size)]",
     "x = [rank]\nshare(x)", None),
    ("other = np.empty_like(data)\n    comm.Sendrecv(data, rank ^ 1, recvbuf=other, source=rank ^ 1)\n    data = data + other",
     "x = np.full(3, 1. + rank)\nshare(x)", "data"),
    ("other = np.empty_like(data)\n    comm.Sendrecv(data, rank ^ 1, recvbuf=other, source=rank ^ 1)\n    data += other",
     "x = np.full(3, 1. + rank)\nshare(x)", None),
    ("total = np.zeros(3)\n    for step in range(size):\n        total += data\n        new = np.empty_like(data)\n"
     "        comm.Sendrecv(data, (rank + 1) % size, recvbuf=new, source=(rank - 1) % size)\n        data = new\n"
     "    print(total)", "x = np.full(3, 1. + rank)\nshare(x)", None),
    ("token = comm.recv(source=0) if rank else comm.send(1, dest=1)", "share([rank])", None),
    ("if rank: data = comm.recv(source=0)\n    else: comm.send(data, dest=1)\n    print(data)", "share([rank])", None)])
def test_a_result_that_only_a_parameter_has_is_named(tmp_path, body, call, name):
    code, out, err = under_exec(tmp_path, kBegin + f"def share(data):\n    {body}\n{call}\n", 2)
    assert (code, err.count(kLost)) == ((1, 1) if name else (0, 0)), out + err
    assert not name or f"kept only in {name}, {kLost}" in err and f"return {name} and keep it" in err, err


@pytest.mark.parametrize("own, line, named", [
    ("x[:2]", "x[:2] = x[:2] + part", True), ("x[:2]", "x[:2] += part", True), ("x[:2].copy()", "x[:2] += part", False),
    ("x[2:]", "x[:2] += part", False), ("x[:2]", "print(part)", False), ("x[:2]", "part = part + x[2:]", False)])
def test_what_comes_into_own_data_is_not_added_to_itself(tmp_path, own, line, named):
    code, out, err = under_exec(tmp_path, kBegin + f"""
x = np.arange(4.) + 10 * rank
part = {own}
if rank == 0:
    comm.Send(x[2:].copy(), dest=1)
else:
    comm.Recv(part, source=0)
    {line}
""", 2)
    assert (code, err.count("is no copy of it, but the same memory")) == ((1, 1) if named else (0, 0)), out + err


@pytest.mark.parametrize("text, ranks, advice", [
    ("part = 8 / size\nx = list(range(8))[rank * part:]", 2, "Write // in line 19, which divides integers."),
    ("def work(n):\n    return list(range(n))\nwork(8 / size)", 2, "Write // in line 21, which divides integers."),
    ("data = {1: 2} if rank == 0 else None\ncomm.scatter(list(data.keys()) * size)", 2,
     "Give list(data.keys()) * size if rank == 0 else None."),
    ("every = comm.gather(rank)\nprint(every[0])", 2, "Use every on the root only (if rank == 0:), or call allgather."),
    ("if rank == 0:\n    value = 1\nprint(value)", 2, "Give value a value on all ranks before line 21"),
    ("if rank == 0: pass\nelif rank == 1: pass\nelse: raise RuntimeError('wrong rank')", 3, "start it with -n 2."),
    ("if rank == 1: raise RuntimeError('ends')", 3, "Correct the line that raised this error."),
    ("if rank == 0:\n    assert np.allclose(1, 2)", 2, "Look at what the check compares: assert np.allclose(1, 2)"),
    ("x = comm.bcast(8 / size if rank == 0 else None)\nprint(range(x))", 2, "Write // in line 19, which divides integers."),
    ("assert size == 4", 2, "Start it with -n 4."), ("x = [1, 2]\nprint(x[rank])", 3, "start the program with -n 2."),
    ("comm.Create_cart([3, 2])", 4, "start the program with -n 6."),
    ("x = None\nprint(len(x))", 2, "Give x a value on this rank before line 20."),
    ("def area(x):\n    square = x * x\npart = area(rank)\ntotal = part\ntotal += part", 2,
     "End area with return square (after line 20)."),
    ("if rank == 0:\n    n = 3\nelse:\n    n = None\nn = comm.bcast(n, root=1)\nprint(n + 1)", 2, "Write root=0 in line 23."),
    ("if rank == 0:\n    n = 3\nelse:\n    n = None\nlast = 1\nn = comm.bcast(n, last)\nprint(n + 1)", 2, "Write root=0 in line 24."),
    ("for i in range(3):\n    count += 1", 2, "Give count its first value before line 19, as in count = 0."),
    ("if rank == 0:\n    x = 1\nelse:\n    total = comm.reduce(rank)\nprint(total)", 1, "out of the if and else of line 19."),
    ("n = 0\nif rank == 0:\n    n = 4\n    comm.send(n, dest=1, tag=3)\nelse:\n    m = comm.recv(source=0, tag=3)\n8 / n", 2,
     "Write n = comm.recv(source=0, tag=3) in line 24."),
    ("step = size / 2\ncomm.send(1, dest=rank + step)", 2, "Write // in line 19, which divides integers."),
    ("for i in rank(1, size):\n    pass", 2, "Write range(...) in line 19."), ("open('no.txt')", 2, "Put no.txt where"),
    ("if rank:\n    comm.send(1, dest=0)\nelse:\n    [comm.recv(source=0) for i in range(1, size)]", 3,
     "Name these as the source, each in its turn"),
    ("if rank:\n    comm.recv(source=1)\nelse:\n    [comm.send(1, dest=i) for i in range(1, size)]", 3,
     "Name rank 0 as the source."),
    ("if rank == 0:\n    for i in range(size): comm.isend(1, dest=i).wait()\nelse:\n    comm.recv(source=0)", 3,
     "Leave rank 0 out of the loop: range(1, size)."),
    ("x = None\nif rank == 0: x = np.ones(3)\ncomm.Bcast(x)", 2, "Write x = numpy.empty(...) in line 19"),
    ("comm.Bcast([np.ones(3) if rank == 0 else None, MPI.DOUBLE])", 2, "numpy.empty(...) instead of None."),
    ("comm.recv(1.5, source=0) if rank else comm.send(1, dest=1)", 2, "Give it a name on the left"),
    ("comm.Gather(rank, root=0)", 2, "Write gather in line 19"), ("x = comm.irecv() + 1", 2, "Call wait() on what irecv"),
    ("comm.Scatter(np.ones(9), np.ones(4))", 2, "or start the program with -n 3."),
    ("a, h = np.zeros(1), np.zeros(2)\nh[0] = np.append(a, 1) - a", 2, "Write a[0] in line 20."),
    ("grid = comm.Create_cart((2, 1))\nprint(grid.Get_coords(grid.rank))", 3, "or start the program with -n 2."),
    ("comm.reduce((rank, 1), op=MPI.PROD)", 2, "numpy.array((rank, 1)) is combined element by element"),
    ("comm.reduce(rank, None, op=MPI.MAX)", 2, "Leave None out in line 19."), ("comm.recv(obj=1)", 2, "Write buf for obj"),
    ("os.getpid()", 2, "Write import os at the top"), ("comm.reduce(rank, root=4)", 2, "start the program with -n 5."),
    ("x = comm.gather(rank)\nassert rank == 0 or x is not None", 2, "or call allgather."),
    ("x = [1, 2] if rank == 0 else None\ncomm.scatter([x[i] for i in range(size)])", 2, "for i in range(size)] if rank == 0 else None."),
    ("if rank == 0:\n    x = [1, 2]\nelse:\n    x = None\nx = comm.scatter(x, root=1)", 2, "Write root=0 in line 23."),
    ("if rank == 0:\n    items = [1, 2]\nelse:\n    itmes = None\ncomm.scatter(items)", 2, "Write items for itmes in line 22."),
    ("if rank == 1: comm.Recv(np.ones(1), dest=0)", 2, "Write Send for Recv in line 19"),
    ("comm.scatter('one two', root=0)", 2, ".split() does with 2 words"), ("comm.scatter([1] * 4)", 2, "numpy.array_split([1] * 4, 2)"),
    ("data, part = np.arange(4.) if rank == 0 else None, np.zeros(2)\ncomm.Scatter(data, part)\nmine = data\n"
     "comm.Gather(mine, np.zeros(4) if rank == 0 else None)", 2, "Write part for data in line 21."),
    ("if rank == 0:\n    for r in (1, 2, 1, 2): comm.send(r, dest=r)\n    for n in (0, 1): comm.recv(source=n + 1, tag=2 - n)\n"
     "else:\n    comm.recv(source=0)\n    comm.send(rank, dest=0, tag=rank)\n    comm.recv(source=0)", 3, "Receive tag 2 from rank 2"),
    ("if rank == 0:\n    comm.recv(source=1)\n    comm.send(1, dest=1)\nelse:\n    while True:\n        comm.send(1, dest=0)\n"
     "        comm.recv(source=0)", 2, "let rank 0 send it a last message"), ("print ('%d') % rank", 2, "Write print('%d' % rank) in line 19."),
    ("x = (", 2, "Close each bracket in line 19"), ("if rank: pass\nelse if rank > 2: pass", 2, "Write elif for else if in line 20."),
    ("if rank == 0:\n    raise KeyError(1)\nraise KeyError(2)", 2, "rank 1 failed: KeyError: 2 (program.py:21"),
    ("at = comm.gather(rank, root=1)\nprint(at[0])", 2, "Use at on the root only (if rank == 1:), or call allgather."),
    ("x = 1\neval('1 +')", 2, "Python cannot read the text that this line hands to it: 1 +."),
    ("n = 1 if rank == 0 else None\ncomm.bcast(8)['k']", 2, "comm.bcast(8) is"),
    ("import ast\nopen('other.py', 'w').write('from other import b\\na = 1')\nfrom other import a", 1, "other"), ("part = np.zeros(2)\ncomm.Scatter(np.ones(2 * size), part)\nprint(arr)", 2,
     "Write part for arr in line 21"), ("size = 3\ncomm.send(1, dest=2)", 2, "Write size = comm.Get_size() in line 19"),
    ("comm.Scatter([np.ones(2), np.ones(2)], np.ones(2))", 2, "a list of 2 arrays is no buffer"),
    ("x = comm.Barrier()\nprint(x + 1)", 2, "Write comm.Barrier() alone in line 19"), ("np.int(1)", 2, "Write int for np.int"), ("comm.Allreduce([np.ones(2), MPI.INT], [np.ones(2), MPI.DOUBLE])", 2, "give both arrays one dtype"),
    ("x, y = np.arange(4), np.zeros(4)\ncomm.Gather(x, y)", 2, "Write y = numpy.empty(8, dtype=x.dtype) in line 19."), ("print(np.zeros(1)[rank + 1])", 2, "(program.py:19 in <module>); so did rank 1, with other numbers"),
    ("comm.Send(rank, dest=0)", 2, "Write send for Send in line 19 (and recv"), ("comm.AllReduce(1)", 2, "Write comm.Allreduce"),
    ("x = []\nif rank:\n    x = comm.scatter(None)\nprint(x * x)", 2, "Take line 21 (and the other calls"),
    ("try:\n    int(rank or 'x')\nexcept ValueError:\n    comm.Abort(1)", 2, "after it had caught ValueError: invalid literal")])
def test_an_error_is_followed_by_what_repairs_it(tmp_path, text, ranks, advice):
    code, out, err = under_exec(tmp_path, kBegin + text + "\n", ranks)
    assert code == 1 and advice in err, err


kExchange = """class Strip:
    def begin(self):
        self.halo = np.ones(2)
        self.waits = [comm.Irecv(self.halo, 1 - rank), comm.Isend(np.arange(2.) + rank, 1 - rank)]
    def end(self):
        MPI.Request.Waitall(self.waits)
    def step(self):
        USE
Strip().step()"""
kHalo = """def step(u):
    other = 1 - rank
    got = np.empty(1)
    waits = [comm.Irecv(got, other), comm.Isend(EDGE.copy(), other)]
    MPI.Request.Waitall(waits)
    u[-1] = got
    u[1:-1] += 1
u = np.zeros(4)
for turn in range(3):
    step(u)
print(u.sum())"""


@pytest.mark.parametrize("text, ranks, wrong", [
    ("res = comm.gather(3)\nif rank == 0:\n    res = res.sort()\n    res[0]", 1, "on its root only"),
    ("data = comm.gather(1)\ndef show():\n    data = None\n    return data[0]\nshow()", 1, "on its root only"),
    ("part = comm.scatter([1, 2] if rank == 0 else None)\ndata = [1]\nn = len(data)\nresult = None\ny = result + n", 2, "all ranks' data"),
    ("cfg, data = {'all': 1}, None\nif rank == 0 or cfg.get('all'):\n    data = None\ndata[0]", 2, "on other ranks only"),
    ("def other():\n    per = 8 / size\nclass Net:\n    def per(self):\n        return 2.5\nper = Net().per()\nrange(per)", 1, "Write //"),
    ("def other():\n    comm.Scatter(np.ones(2), x)\nx = np.ones(2)\nx[3]", 1, "this rank's part"),
    ("raise RuntimeError('No CUDA GPUs are available')", 1, "There is no GPU here")])
def test_what_the_text_does_not_show_is_not_said(tmp_path, text, ranks, wrong):
    code, out, err = under_exec(tmp_path, kBegin + text + "\n", ranks)
    assert code == 1 and "program.py:" in err and wrong not in err, err


@pytest.mark.parametrize("text, severity, words", [
    ("got = comm.bcast(x)\nprint(x)", "hint", "x stays None there: what bcast brought in line 20 is got"),
    ("got = comm.bcast(x)\nprint(x, got)", "", "stays None"),
    ("got = comm.gather(rank)\nif rank == 1:\n    print(got)", "hint", "got is None there: gather in line 20 gives"),
    ("got = comm.gather(rank)\nif rank == 0:\n    print(got)", "", "is None there"),
    ("part, every = np.full(2, rank), np.zeros(4, int)\ncomm.Gatherv(part, [every, (2, 2), (0, 1), MPI.LONG])", "error",
     "displacements [0, 2] for the counts [2, 2]"),
    ("part, every = np.full(2, rank), np.zeros(4, int)\ncomm.Gatherv(part, [every, (2, 2), (2, 0), MPI.LONG])", "",
     "received into one place"),
    ("y = None\nif rank == 0:\n    y = 1\nif rank == 1:\n    y = 2\nelse:\n    y = None\ny = comm.bcast(y)\nprint(y)", "error",
     "Write elif in line 23."),
    ("y = 1 if rank else None\ny = comm.bcast(y)\nprint(y)", "", "bcast brings None"),
    ("a, s = np.ones(2), np.zeros(2)\ncomm.Reduce(a, s)\nif rank == 1:\n    print(s)", "hint", "write root=1 in line 21"),
    ("a, s = np.ones(2), np.zeros(2)\ncomm.Reduce(a, s)\nif rank == 1:\n    s[:] = 3\n    print(s)", "", "as it was before"),
    ("a, s = np.ones(2), np.zeros(4, int)\ncomm.Allgather(a, s)", "error", "one side is an array of float64, the other of int64"),
    ("a, s = np.ones(2), np.zeros(4)\ncomm.Gather(a, s if rank == 0 else None)", "", "one side is an array"),
    ("a = np.ones(2)\na = comm.Bcast(a)\nprint(a)", "hint", "a is None there: Bcast in line 21 returns nothing"),
    ("a = np.ones(2)\nb = comm.Bcast(a)\nprint(a, b is None)", "", "returns nothing"),
    ("a = np.ones(2)\nr = comm.Irecv(a, 1 - rank)\ncomm.Send(rank + np.arange(2.), 1 - rank)\nprint(a.size)\nr.Wait()", "", "is read before"),
    ("for i in range(40):\n    pair = comm.Split(0)\n    pair.barrier()", "hint", "in line 22: pair.Free()."),
    ("for i in range(40):\n    pair = comm.Split(0)\n    pair.Free()", "", "no line frees one"),
    ("for i in range(31):\n    pair = comm.Split(0)", "", "no line frees one"),
    (kExchange.replace("USE", "self.begin()\n        self.x = self.halo + 1\n        self.end()"), "error",
     "self.halo is read before the receive in line 23 has ended"),
    (kExchange.replace("USE", "self.begin()\n        self.end()\n        self.x = self.halo + 1"), "", "has ended"),
    (kExchange.replace("USE", "self.begin()\n        self.x = self.halo.size\n        self.end()"), "", "has ended"),
    ("t = np.ones(2) + rank\nfor i in range(3):\n    t += 1\n    comm.Allreduce(MPI.IN_PLACE, t)", "error", "to which line 22 has only added"),
    ("t = np.ones(2) + rank\nfor i in range(3):\n    t += 1\n    comm.Allreduce(MPI.IN_PLACE, t)\n    t /= size", "", "only added"),
    ("t = np.ones(2) + rank\nfor i in range(3):\n    t += 1\n    comm.Allreduce(MPI.IN_PLACE, t)\n    t[:] = 0", "", "only added"),
    ("for i in range(3):\n    t = np.zeros(2)\n    t += rank\n    comm.Allreduce(MPI.IN_PLACE, t)", "", "only added"),
    (kHalo.replace("EDGE", "u[-1:]"), "error", "Send this rank's own outermost cells, u[-2:-1]."),
    (kHalo.replace("EDGE", "u[-2:-1]"), "", "outermost"),
    (kHalo.replace("EDGE", "u[-1:]").replace("u[1:-1]", "u[1:]"), "", "outermost"),
    ("def part(n):\n    each = n // size\n    first = rank * each\n    return slice(first, first + each)\nx = np.arange(7.)\n"
     "print(comm.reduce(x[part(len(x))].sum()))", "error", "program.py:23 on ranks 0 and 1: n // size in line 21 is 3 for 7 and 2 ranks"),
    ("def part(n):\n    each = n // size\n    first = rank * each\n    return slice(first, first + each)\nx = np.arange(8.)\n"
     "print(comm.reduce(x[part(len(x))].sum()))", "", "no rank gets"),
    ("x = np.arange(7.)\neach = len(x) // size\nmine = x[rank * each:len(x) if rank == size - 1 else (rank + 1) * each]\n"
     "print(comm.reduce(mine.sum()))", "", "no rank gets"),
    ("x = np.arange(7.)\neach = len(x) // size\nlast = size - 1\nmine = x[rank * each:len(x) if rank == last else (rank + 1) * each]\n"
     "print(comm.reduce(mine.sum()))", "", "no rank gets"),
    ("sub = comm.Split(0, -rank)\ngot = sub.gather(rank)\nif rank == 0:\n    print(got)", "", "is None there"),
    ("a, s = np.ones(2), np.zeros(2)\ncomm.Reduce(a, s)\ncomm.Bcast(s)\nif rank == 1:\n    print(s)", "", "as it was before"),
    ("if rank == 0:\n    for r in [1, 1]:\n        y = comm.recv(source=r)\n    print(y)\nelse:\n    [comm.send(i, 0) for i in (1, 2)]",
     "hint", "indent line 23"),
    ("if rank == 0:\n    for r in [1, 1]:\n        y = comm.recv(source=r)\n        print(y)\nelse:\n    [comm.send(i, 0) for i in (1, 2)]",
     "", "replaces the one before"),
    ("n = 0\nif rank == 0: comm.send(9, 1)\nwhile n < 9:\n    n = comm.recv(source=1 - rank)\n    comm.send(n, 1 - rank)\n    n += 1\n"
     "if rank == 1: comm.recv(source=0)", "hint", "Move line 25 before the send.")])
def test_a_result_that_stays_behind_is_named(tmp_path, text, severity, words):
    code, out, err = under_exec(tmp_path, kBegin + "x = 7 if rank == 0 else None\n" + text + "\n", 2)
    assert code == (1 if severity == "error" else 0) and (words in err) == bool(severity), err
    assert not severity or f"{severity}: misused call" in err, err


def test_ranks_that_work_one_after_the_other_are_named(tmp_path):
    text = """
import time
if rank == 0:
    for r in range(1, size):
        comm.send(r, dest=r)
        comm.recv(source=r)
else:
    comm.recv(source=0)
    time.sleep(0.4)
    comm.send(1, dest=0)
"""
    code, out, err = under_exec(tmp_path, kBegin + text, 4)
    assert code == 0 and "program.py:24 on rank 0: the ranks work one after the other" in err, err
    code, out, err = under_exec(tmp_path, kBegin + text.replace("0.4", "0"), 4)
    assert code == 0 and "one after the other" not in err, err


def test_a_rank_that_leaves_after_a_caught_error_is_named_with_its_line(tmp_path):
    code, out, err = under_exec(tmp_path, kBegin + """
try:
    n = int("x" if rank == 0 else "1")
except ValueError:
    MPI.Finalize()
    exit(-1)
comm.bcast(n)
""", 2)
    assert code == 1 and "it left at program.py:23, after it had caught ValueError: invalid literal" in err, err
    assert "call comm.Abort(1) there" in err, err


kTorch = """
import torch, torch.nn as nn, torch.distributed as dist
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
"""


@pytest.mark.parametrize("text, code, words", [
    ("dist.scatter(torch.zeros(3), [torch.arange(6.)[::2]] * size if rank == 0 else None)", 1, "array with gaps"),
    ("dist.scatter(torch.zeros(3), list(torch.arange(6.).chunk(2)) if rank == 0 else None)", 0, ""),
    ("dist.scatter(torch.zeros(1), [torch.zeros(1, 1)] * size if rank == 0 else None)", 1, "tensor.reshape((1,))"),
    ("x = torch.ones(2)\ndist.reduce(x, 0)\nprint(x)", 0, "reduce gives the result to rank 0 only"),
    ("x = torch.ones(2)\ndist.reduce(x, 0)\nif rank == 0: print(x)", 0, ""),
    ("x = torch.ones(2)\ndist.reduce(x, 0)\nx = torch.ones(2)\nprint(x)", 0, ""),
    ("x = torch.ones(2)\ndist.reduce(x, 0)\nprint(rank == 0 and x.sum())", 0, ""),
    ("def share(x):\n    y = x.detach().clone()\n    dist.broadcast(y, 0)\nshare(torch.ones(2))", 1, "Write x.copy_(y) behind"),
    ("def share(x):\n    y = x.clone()\n    dist.broadcast(y, 0)\n    x.copy_(y)\nshare(torch.ones(2))", 0, ""),
    ("for i in range(40):\n    g = dist.new_group([0, 1])", 0, "no line frees one"),
    ("for i in range(40):\n    g = dist.new_group([0, 1])\n    dist.destroy_process_group(g)", 0, ""),
    ("class M:\n    def __init__(self): self.t = torch.zeros(1)\n    def put(self): self.t += 1\n    def sum(self): dist.all_reduce(self.t)\n"
     "m = M()\nfor i in range(2):\n    m.put()\n    m.sum()", 1, "behind the loop in line 10 that adds"),
    ("dist.all_to_all_single(torch.zeros(1 + rank), torch.zeros(2), [1] * (1 + rank) + [0] * (1 - rank), [1 + rank, 0])", 1, ""),
    ("a, b, x, y = [2, 2], [1, 1], torch.zeros(2), torch.zeros(4)\ndist.all_to_all_single(x, y, a, b)", 1, "Write output_split_sizes=b, input_split_sizes=a"),
    ("x = torch.zeros(3)\ny = list(x.chunk(2)) if rank == 0 else None\ndist.scatter(torch.zeros(2), y)", 1, "pad the shorter"),
    ("x = torch.zeros(3)\nif rank == 0:\n    y = list(x.chunk(2))\n    dist.scatter(torch.zeros(2), y)\nelse:\n    dist.scatter(torch.zeros(2))",
     1, "Fill x up to 4 rows before line 7"),
    ("for i in range(size):\n    dist.new_group([(rank + i) % size])", 1, "Write [(rank + i) % size] in line 6 without rank"),
    ("def mean(t):\n    dist.all_reduce(t)\n    t /= size\nmean(torch.ones(2))", 0, ""),
    ("def hook(grad):\n    g = grad.detach().clone()\n    dist.all_reduce(g)\nmodel = nn.Linear(2, 1)\n"
     "model(torch.ones(1, 2)).sum().backward()\nfor p in model.parameters(): hook(p)", 1, "Reduce grad.grad."),
    ("def hook(grad):\n    dist.all_reduce(grad)\nmodel = nn.Linear(2, 1)\n"
     "model(torch.ones(1, 2)).sum().backward()\nfor p in model.parameters(): hook(p.grad)", 0, "")])
def test_what_gloo_leaves_or_moves_otherwise_is_named(tmp_path, text, code, words):
    needs("torch")
    got, out, err = under_exec(tmp_path, kTorch + text + "\n", 2)
    assert got == code and words in err and (words or ("misused" not in err and "gaps" not in err)), out + err


@pytest.mark.parametrize("text, words", [
    ("n = 4\nx = list(n)", "Write [n] in line 2"), ("for i in 'a', 3:\n    for k in i: pass", "Write range(i) in line 2"),
    ("def f(a, size):\n    return a / div\nf(1, 2)", "Write size for div in line 2"),
    ("def f(a, b):\n    return a + c\nf(1, 2)", "Write b for c in line 2"),
    ("import math\nx = sqrt(4)", "Write math.sqrt in line 2"), ("x = raw_input()", "Write input in line 1"),
    ("n = 3\ndef f():\n    n += 1\nf()", "Begin f with global n"),
    ("x = [1, 2]\nfor i in range(3):\n    x[i] = 0", "end at 2: range(len(x))"),
    ("x = [1, 2]\nn = 2\nx[n] = 0", "numbers that begin with 1 need - 1 (x[n - 1])"),
    ("x = [[1, 2]]\nx[0, 1]", "Write x[0][1] in line 2"), ("x = [1]\nx(0)", "Write x[0] in line 2"),
    ("x = '3'\ny = x + 2", "Write int(x)"), ("n = 3\nx = 'rank ' + n", "Write str(n) in line 2"), ("n = '3'\nrange(n)", "Write int(n)"),
    ("n = 3\nn[0]", "n is the int 3 (line 1)"), ("x = [3, 1].sort()\nx[0]", "or sorted([3, 1])"),
    ("a, b = (1, 2, 3)", "There are 2 names on the left, and (1, 2, 3) has 3 values."),
    ("def f(a, b): pass\nf(1)", "Give b, too, in line 2"), ("class A:\n    def f(a): pass\nA().f(1)", "Add self as the first parameter of f"),
    ("import numpy as np\nnp.zeros(2, 3)", "Write np.zeros((2, 3))"), ("import numpy as np\nnp.zeros(4)[0].appendd", "zeros"),
    ("import numpy as np\na, b = np.zeros(3), np.zeros(4)\na + b", "a has the shape (3,) (line 2), and b has (4,) (line 2)."),
    ("import numpy as np\na = np.zeros(12)\na.reshape(4, 4)", "Write reshape(3, 4)"), ("import numpy as np\nnp.zeros(2).append(1)", "has no append"),
    ("import numpy as np\nif np.zeros(2) == 0: pass", ").any() or .all() in line 2"), ("x = [1]\nx.shape", "numpy.array(x).shape"),
    ("import numpy as np\nnp.array([[1], [2, 2]])", "have 1, 2 elements"), ("class A:\n    def __init__(self): super.__init__()\nA()", "super().__init__"),
    ("f = open(__file__)\nt = f.read()\nf.split()", "Write t.split() in line 3"), ("d = {'a_b': 1}\nd['a']", "Write 'a_b' in line 2"),
    ("x = [word]", "Write \"word\" in quotes in line 1"), ("receive = 1\nx = rec", "Finish line 2"), ("d = {'a': 1}\nd['A']", "Write 'a' in line 2"), ("x = []\nmax(x)", "x (line 1) has no elements"), ("int('3.5')", "Write int(float("),
    ("def f(n): return f(n)\nf(1)", "Give f (line 1) a case"), ("n = 2 // 3\n1 / n", "Write / in line 1"), ("import os\nos.environ['PMI_RANK']", "Read RANK"),
    ("x = 3\nx = x + 1\ny = x[0]", "x is the int 4 (line 2)"), ("x = 3\nfor i in range(2):\n    y = x[0]\n    x = 4", "x is the int 3.")])
def test_the_values_behind_an_error_are_named(tmp_path, text, words):
    found = explained(tmp_path, text)
    assert words in " ".join(found), found


kComm = "class Comm:\n    def gather(self, x): return [x]\n    def scatter(self, x): return x[0]\ncomm = Comm()\n"


# What the values do not show is not said; so many calls of a function of the program's own are made as without an explanation.
@pytest.mark.parametrize("text, words, wrong", [
    ("import numpy as np\nx = 8 // size", "No line gives size a value", "np.size"),
    ("import numpy as np\nx = [1]\nx[0] - mean", "No line gives mean a value", "np.mean"),
    ("class A: data = None\nmodel, lr = A(), 2\nmodel.data * lr", "model.data is None here", "Give lr"),
    ("def f(): return object()\nlr = 2\nf() * lr", "", "Give lr"),
    ("data = [1, 2, 3]\ndef f(data): return data + 1\nf('abc')", "data is the str 'abc'", "(line 1)"),
    ("x = 1\ndef g():\n    global x\n    x = 'a'\nx = 2\ng()\nx + 1", "x is the str 'a'", "(line 5)"),
    ("def f(x, opt): return sorted(x) + opt\nf([1], None)", "opt is None here", "changes"),
    ("class Net:\n    def update(self, by): pass\nnet = Net()\ny = net.update(1)\ny + 1", "End update with return", "changes"),
    ("x = [2, 1]\nx = x.sort()\nx[0]", "it changes x itself", "line 3"),
    ("batch_size = 0\n10.0 / batch_size", "batch_size is 0 here (line 1).", "-n"), ("p = -1\n0.0 ** p", "p is the int -1", "is 0"),
    ("def total(xs): return xs[0] + total(xs[1:]) if xs else 0\ntotal([1] * 2000)", "write a loop", "without an end"),
    ("def even(n): return odd(n - 1)\ndef odd(n): return even(n - 1)\neven(1)", "a further call", "itself"),
    ("from operator import itemgetter\ntable = {'a': 1}\nitemgetter('zz')({'q': table['a']})", "", "table has no key"),
    ("d = {1: 'x'}\nd['1']", "Write 1 in line 2", "Write '1'"), ("import json.foo", "json has no module foo", "pip"),
    ("pairs = [(1, 2, 3)] * 4\nfor a, b in pairs: pass", "an element of pairs has more values", "4 values"),
    ("y = 'a' + 1", "Write str(1)", " . "), ("x = 'abcd'\nx + 1", "Write str(1)", "int(x)"), ("x = 'abcd'\nx * 1.5", "x is the str", "int(x)"),
    ("import numpy as np\na, rank = np.zeros(2), 1\nif a == rank and rank == 1: pass", "Write (a == rank).any()", "and rank"),
    ("import numpy as np\na, b = np.zeros(2), 3\nif a.sum() > 3 or a < b: pass", "Write (a < b).any()", "(a.sum()"),
    ("w = 5\nxs = [0]\ny = [1 / w for w in xs]", "w is 0 here.", "line 1"),
    ("x = [1, 2]\nx[-3]", "Use an index from -2 to 1.", "elements or more"),
    ("import numpy as np\na = np.zeros((2, 3))\na[2, 0]", "from 0 to 1 in this dimension", "a[2 - 1]"),
    ("x = [3, 'a']\nmax(x)", "x (line 1) has elements of the types int, str.", "max()"),
    ("x = [1, None]\nsum(x)", "of the types NoneType, int.", "sum()"), ("import math\nmath.foo(3)", "Write math.floor in line 2, if that is meant.", "line 2. "),
    ("import numpy as np\na = np.zeros(2)\nif 0 < a < 3: pass", "Write ((0 < a) & (a < 3)).any()", "(0 < a < 3)"),
    ("import numpy as np\na, b = np.zeros(()), []\nmax(b, key=np.zeros(0).max)", "b (line 2) has no elements", "a (line"),
    ("class A:\n    def __repr__(self): raise ValueError\nx = A()\nx + 1", "x is an A", "the A"),
    ("n = 4\ncalls = []\ndef view():\n    calls.append(1)\n    assert len(calls) == 1\nview() + n", "", "Give n"),
    ("import re\ntext = None\ndef f(text): return re.match('a', text or 'b')\nf(text).group()", "", "text is None"),
    ("def f(n): return 5\nn = 3\nfor i in f(n): pass", "", "range(n)"), ("def f(a, b): pass\nsorted([1, 2], key=f)", "", "Give b"),
    ("sorted([1], key=3)", "", "sorted is"), ("import numpy as np\na, n = np.zeros(12), 5\nnp.reshape(a, (n, n))", "", "np has"),
    ("import numpy as np\na = np.zeros((4, 3))\nfloat(a[0])", "a[0] is an array of shape (3,)", "a is"),
    ("class A:\n    def __len__(self): raise SystemExit\nx, n = A(), 2\nlen(n) + len(x)", "n is the int 2", "A"),
    ("class A:\n    def __len__(self): raise SystemExit\n    def __getattr__(self, name): raise SystemExit\n    shape = property(__len__)\n"
     "x, n = A(), 2\nn + x", "x is an A", "shape"), ("import numpy as np\nnp.len", "numpy has no len; Python has.", "1.24"),
    ("import numpy as np\nnp.int", "gone from NumPy since 1.24", "Python has."), ("a, b, *c = [1]", "at least 2 names", "are 2"),
    ("int('3.5')", "'3.5' is no whole number", "is '3.5'"),
    ("it = iter([1, 2, 3])\nlist(it) + 1", "", "0 elements"),
    ("class A:\n    count = 0\n    def __getitem__(self, at):\n        A.count += 1\n        return A.count\na = A()\n"
     "a[0] + 'x'", "", "the int 2"),
    ("import numpy as np\na, b = np.zeros(2), np.zeros(8)\na + b", "a has the shape (2,)", "all ranks' data"),
    ("import torch\nclass Texts(torch.utils.data.Dataset):\n    asked = []\n    def __len__(self):\n"
     "        self.asked.append(1)\n        assert len(self.asked) < 2\n        return 3\n"
     "loader = torch.utils.data.DataLoader(Texts())\nlen(loader) + None", "", "the int 3"),
    ("class Box:\n    looks = 0\n    @property\n    def shape(self):\n        Box.looks += 1\n        return (2,)\n"
     "b = Box()\nb + Box.looks", "b is a Box", "shape"),
    ("asked = []\nclass Open:\n    def __getattr__(self, name):\n        asked.append(1)\n        raise AttributeError\n"
     "    def __dir__(self): raise SystemExit\nx = Open()\nx + asked", "asked is a list of 0 elements", "1 element"),
    ("class Bag:\n    def __len__(self): raise SystemExit\nbag, xs = Bag(), []\nmax(xs, key=bag)", "xs (line 3) has no", "bag"),
    ("import numpy as np\nnp.long(1)", "numpy.long was Python's own int, and is gone from NumPy since 1.24.", "has no"),
    ("import numpy as np\nx = [1]\nx + 2", "Write x + [2] in line 3 to append it, or numpy.array(x)", "lists are not"),
    ("import numpy as np\nx = [1]\nx - 2", "Write numpy.array(x) in line 3", "append"),
    ("import numpy as np\nx = [1]\nx + {}", "x is a list of 1 element", "numpy.array"),
    ("import numpy as np\nx = [{}]\nx - 2", "x is a list of 1 element", "numpy.array"),
    ("def share(comm, a, x): comm.Scatter(a, x)\ndef use(x): return x[5]\nuse([1, 2])", "Give x 6 elements", "this rank's part"),
    (kComm + "res = comm.gather(3)\nres = res.sort()\nres[0]", "res is None here (line 6)", "root only"),
    (kComm + "data = [1]\npart = comm.scatter(data)\nn = len(data)\nresult = None\nresult + n", "result is None", "all ranks' data"),
    ("rank, cfg, data = 1, {'all': 1}, 0\nif rank == 0 or cfg.get('all'): data = None\ndata + 1", "data is None", "other ranks"),
    ("rank, data = 1, None\nif rank == 0 or rank == 2: data = 1\ndata + 1", "line 2 gives it a value on other ranks only", "3"),
    ("def f():\n    per = 3 / 2\n    return per\nper = 2.0\nrange(per)", "per is", "line 2"),
    ("raise RuntimeError('No CUDA GPUs')", "", "There is no GPU")])
def test_what_the_values_do_not_show_is_not_said(tmp_path, monkeypatch, text, words, wrong):
    monkeypatch.setattr(_notes, "_joined", {"rank": 0, "size": 4, "key": ""})
    found = " ".join(explained(tmp_path, text) or ())
    assert words in found and wrong not in found, found


def explained(tmp_path, text):
    """(why, advice) for the error that a program raises; None where nothing is known of it."""
    file = tmp_path / "program.py"
    file.write_text(text + "\n")
    try:
        exec(compile(file.read_text(), str(file), "exec"), {"__file__": str(file)})
        raise AssertionError("the program has to fail")
    except Exception as error:
        return _advice.explain(error)


@pytest.mark.parametrize("text, words", [
    ("def use(c):\n    return c[0]\nx = np.ones(2)\nx = comm.Bcast(x)\nuse(x)", "Write comm.Bcast(x) alone in line 22, and use x."),
    ("def use(c):\n    return c[0]\nuse(None)", "c is None here.")])
def test_none_is_followed_to_the_caller(tmp_path, text, words):
    code, out, err = under_exec(tmp_path, kBegin + text + "\n", 2)
    assert code == 1 and words in err, err


def test_the_root_of_a_group_is_named(tmp_path):
    needs("torch")
    code, out, err = under_exec(tmp_path, kThreeLines + "g = dist.new_group([1])\nif rank: dist.broadcast(torch.ones(1), 0, group=g)\n", 2)
    assert code == 1 and "Write src=dist.get_global_rank(g, 0) in line 5" in err, err


def test_an_error_in_one_rule_leaves_the_others(tmp_path, monkeypatch):
    def broken(place):
        raise AttributeError
    monkeypatch.setattr(_advice, "RULES", (broken, *_advice.RULES))
    assert "Write int(x) in line 2" in " ".join(explained(tmp_path, "x = '3'\nx + 2"))


@pytest.mark.parametrize("text, why, advice", [
    ("def score():\n    return comm.allreduce(1)\nif rank == 0:\n    score()\ncomm.barrier()",
     "Line 21 parts the ranks: line 22 is in its block (if rank == 0:), line 23 is not.",
     "Take line 22 out of the block of line 21"),
    ("for part in range(3 - rank):\n    comm.allreduce(part)\ncomm.barrier()", "Line 19 parts the ranks: line 20 is in its block",
     "Give all ranks as many turns of the loop in line 19"),
    ("for step in range(2):\n    if rank == 0:\n        comm.allreduce(1)\ncomm.barrier()",
     "Line 20 parts the ranks: line 21 is in its block (if rank == 0:)", "Take line 21 out of the block of line 20")])
def test_the_line_is_named_at_which_ranks_part(tmp_path, text, why, advice):
    code, out, err = under_exec(tmp_path, kBegin + text + "\n", 2)
    assert code == 1 and why in err and advice in err, err


kThreeLines = "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\nrank, size = dist.get_rank(), dist.get_world_size()\n"
kAverage = """net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def start():
    return [dist.all_reduce(one.grad, async_op=True) for one in net.parameters()]
def finish(works):
    for one in works: one.wait()
net(torch.ones(3, 2)).sum().backward()
works = start()
"""
kSampler = """from torch.utils.data import TensorDataset
from torch.utils.data.distributed import DistributedSampler
data = TensorDataset(torch.arange(float(ROWS)))
def evaluate(data):
    sampler = DistributedSampler(data, shuffle=False)
    total = sum(data[i][0] for i in sampler).reshape(1)
    dist.all_reduce(total)
    return total.item() / len(data)
evaluate(data)
"""
kCounts = kSampler.replace("sum(data[i][0] for i in sampler).reshape(1)", "torch.tensor([float(len([*sampler]))])").replace(
    "return total.item() / len(data)", "return total")
kModel = """torch.manual_seed(SEED)
net = torch.nn.Linear(2, 1)
FIRST
net(torch.ones(3, 2)).sum().backward()
for p in net.parameters():
    dist.all_reduce(p.grad)
"""
kOwners = """net = [torch.nn.Parameter(torch.zeros(2)) for _ in range(4)]
for step in range(2):
    for i, p in enumerate(net):
        if i // 2 == rank:
            p.data += 1
    for i, p in enumerate(net):
        dist.broadcast(p.data, src=ROOT)
"""
kGathered = """def gathered(z):
    parts = [torch.zeros_like(z) for _ in range(size)]
    dist.all_gather(parts, z)
    PUT
    return torch.cat(parts)
net = torch.nn.Linear(2, 2)
def loss(x):
    all_ranks = gathered(net(x))
    return (net(x) @ all_ranks.t()).sum()
value = loss(torch.ones(3, 2))
USE
"""
kMeans = "def mean(x):\n    x = torch.tensor([x])\n    dist.reduce(x, dst=0)\n    return x.item() / size\n"
kSchedule = "class Schedule:\n    def step(self, value): self.value = value\nschedule = Schedule()\n"


@pytest.mark.parametrize("text, ranks, words, code", [
    ("x = torch.ones(4)\ndist.all_reduce(x[torch.tensor([0, 2])])", 2, "x[torch.tensor([0, 2])] is a copy that nobody keeps", 1),
    ("x = torch.ones(4)\ndist.all_reduce(x[0:2])", 2, "", 0), ("x = torch.ones(4)\ndist.all_reduce(x.double())", 2, "x.copy_(part)", 1),
    ("x = torch.ones(4)\ndist.all_reduce(x.float())", 2, "", 0), ("dist.all_reduce(torch.ones(1))", 2, "", 0),
    (kAverage + "opt.step()\nfinish(works)", 2, "opt.step() uses gradients that the all_reduce in line 7 may still be summing", 1),
    (kAverage + "finish(works)\nopt.step()", 2, "", 0),
    (kSampler.replace("ROWS", "7"), 2, "repeats 1 of the 7 samples, so that each rank has 4, and line 11 divides by 7", 1),
    (kSampler.replace("ROWS", "8"), 2, "", 0), (kSampler.replace("ROWS", "7").replace("=False", "=True"), 2, "", 0),
    ("with torch.no_grad():\n    " + kCounts.replace("\n", "\n    ").replace("ROWS", "7"), 2, "has 4, and line 11 counts 8", 1),
    ("with torch.no_grad():\n    " + kCounts.replace("\n", "\n    ").replace("ROWS", "8"), 2, "", 0),
    (kCounts.replace("ROWS", "7"), 2, "", 0),
    (kModel.replace("SEED", "rank").replace("FIRST", ""), 2, "the parameters differ from rank to rank when line 9 first sums", 1),
    (kModel.replace("SEED", "3").replace("FIRST", ""), 2, "", 0),
    (kModel.replace("SEED", "rank").replace("FIRST", "for p in net.parameters(): dist.broadcast(p.data, 0)"), 2, "", 0),
    ("x = torch.full((3,), 100, dtype=torch.uint8)\ndist.all_reduce(x)", 3, "the sum over the ranks in line 5 is larger than", 1),
    ("x = torch.full((3,), 100, dtype=torch.int8)\ndist.all_reduce(x)", 2, "A larger number than 127 wraps around", 1),
    ("x = torch.full((3,), 60, dtype=torch.int8)\ndist.all_reduce(x)", 2, "", 0),
    ("x = torch.full((3,), 100, dtype=torch.uint8)\ndist.all_reduce(x)\nx = torch.ones(2, dtype=torch.bool)\ndist.all_reduce(x)", 2,
     "", 0),
    (kOwners.replace("ROOT", "i % size"), 2, "Write src=i // 2 in line 10.", 1), (kOwners.replace("ROOT", "i // 2"), 2, "", 0),
    (kGathered.replace("PUT", "").replace("USE", "value.backward()"), 2, "parts has no gradients: backward in line 14", 1),
    (kGathered.replace("PUT", "parts[rank] = z").replace("USE", "value.backward()"), 2, "", 0),
    (kGathered.replace("PUT", "").replace("USE", "print(value.item())"), 2, "", 0),
    ("sums = {'a': torch.zeros(1)}\nfor step in range(3):\n    sums['a'] += step\n    dist.all_reduce(sums['a'])", 2,
     "sums['a'] is summed over the ranks again by all_reduce in line 7", 1),
    ("class M: sums = {'a': torch.zeros(1)}\ndef every(m):\n    for name in m.sums:\n        dist.all_reduce(m.sums[name])\n"
     "for step in range(3):\n    M.sums['a'] += step\n    every(M)", 2, "Call all_reduce once, behind the loop in line 8 that adds", 1),
    ("for step in range(3):\n    sums = {'a': torch.zeros(1)}\n    sums['a'] += step\n    dist.all_reduce(sums['a'])", 2, "", 0),
    (kMeans + kSchedule + "value = mean(1.0)\nschedule.step(value)", 2, "x is used at line 7 on ranks other than the root", 1),
    (kMeans + "value = mean(1.0)\nif rank == 0: print(value)", 2, "", 0),
    (kMeans + "value = mean(1.0)\nprint(value)", 2, "x is used at line 7 on ranks other than the root", 0),
    ("def total(x):\n    dist.reduce(x, 0)\n    if rank: return None\n    return x.item()\nprint(total(torch.ones(1)))", 2, "", 0),
    (kSchedule + "x = torch.ones(1)\ndist.reduce(x, 0)\ndist.broadcast(x, 0)\nschedule.step(x)", 2, "", 0),
    (kAverage.replace("one.wait()", "last(one)") + "def last(one): one.wait()\nfinish(works)\nopt.step()", 2, "", 0),
    (kSampler.replace("ROWS", "7").replace("in sampler)", "in range(rank, 7, size))"), 2, "", 0),
    ("class M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
     "        self.register_buffer('t', torch.zeros(1))\nm = M()\nfor i in range(3):\n    m.t += 1\n    dist.all_reduce(m.t)\n"
     "    for x in m.buffers(): x.zero_()", 2, "", 0),
    ("x = torch.ones(2)\ndist.all_reduce(x.clone())\ndist.all_reduce(x)", 2, "", 0),
    ("dist.all_reduce(torch.ones(1), group=dist.new_group(map(int, [0, 1])))", 2, "", 0),
    ("x = [torch.ones(1)] * 100\nfor i in range(100):\n    dist.all_reduce(x[i])", 2, "", 0),
    ("x = torch.ones(100)\nfor i in range(100):\n    x[i] = 1\n    dist.all_reduce(x[i])", 2, "", 0),
    ("x = torch.ones(100)\nfor i in range(100):\n    dist.all_reduce(x[i:i + 1])", 2, "Call all_reduce(x) once, in place of the loop", 0),
    ("for i in range(100):\n    dist.all_reduce(torch.ones(1))", 2, "", 0),
    ("for step in range(8):\n    dist.new_group([step % 2])", 2, "makes a communicator of the same ranks each time", 0),
    ("for step in range(8):\n    dist.destroy_process_group(dist.new_group([0, 1]))", 2, "", 0),
    ("import numpy as np\nparts = [torch.from_numpy(np.ones(2)) for _ in range(2)] if rank == 0 else None\n"
     "dist.scatter(torch.empty(2), parts, src=0)", 2, "Write torch.from_numpy(np.ones(2)).to(torch.float32) in line 5.", 1),
    ("def share(x):\n    box = [x]\n    dist.broadcast_object_list(box, src=0)\n    return x\nx = share({'a': 1} if rank == 0 else None)\n"
     "print(x['a'])", 2, "Write return box[0] in line 7.", 1)])
def test_what_torch_loses_is_named(tmp_path, text, ranks, words, code):
    needs("torch")
    got, out, err = under_exec(tmp_path, kThreeLines + text + "\n", ranks)
    assert got == code and words in err and (words or "misused" not in err), err


@pytest.mark.parametrize("text, ranks, words, code", [
    ("n = [3]\nstart = comm.scan(len(n))\nprint(start)", 2, "Write start = comm.scan(len(n)) - len(n).", 1),
    ("n = [3]\nend = comm.scan(len(n))\nprint(end)", 2, "", 0), ("n = [3]\nstart = comm.scan(len(n)) - len(n)", 2, "", 0),
    ("n = [3]\nstart = comm.scan(len(n))\nstart -= len(n)\nprint(start)", 2, "", 0), ("start = comm.scan(rank + 1)", 2, "", 0),
    ("x, y = np.arange(4), np.arange(4)\ncomm.Allreduce([x, MPI.INT], [y, MPI.INT])", 2, "Give MPI.LONG in place of MPI.INT", 0),
    ("cart = comm.Create_cart([size], [True])\nleft, right = cart.Shift(0, -1)\nu = np.ones(4)\n"
     "cart.Sendrecv(u[-2:-1], dest=right, recvbuf=u[:1], source=left)", 3, "Write right, left = cart.Shift(0, -1).", 1),
    ("cart = comm.Create_cart([size], [True])\nright, left = cart.Shift(0, 1)\ncart.sendrecv(1, dest=right, source=left)", 3,
     "hint: misused call", 0), ("cart = comm.Create_cart([size], [True])\nleft, right = cart.Shift(0, 1)", 3, "", 0),
    ("x, y = np.ones(4), np.zeros(4)\ncomm.Allreduce([x, MPI.FLOAT], [y, MPI.FLOAT])", 2, "Give MPI.DOUBLE in place of MPI.FLOAT", 1),
    ("x, y = np.ones(4), np.zeros(4)\ncomm.Allreduce([x, MPI.DOUBLE], [y, MPI.DOUBLE])", 2, "", 0),
    ("x, y = np.arange(4), np.arange(4)\ncomm.Allreduce([x, MPI.BYTE], [y, MPI.BYTE], op=MPI.BOR)", 2, "", 0),
    ("n = [3]\nnext_start = comm.scan(len(n))", 2, "", 0), ("n = [3]\nstarts = comm.scan(len(n))\nprint([0] + comm.allgather(starts)[:-1])", 2, "", 0),
    ("n = [3]\ndef begin(end): return end - 1\nstart = comm.scan(len(n))\nprint(begin(start))", 2, "", 0),
    ("x = np.arange(7.)\neach = len(x) // size\nx = x[:each * size]\nprint(comm.reduce(x[rank * each:][:each].sum()))", 2, "", 0),
    ("x, y = np.arange(3. + rank), np.zeros(1)\ncomm.Allreduce(np.array([x.mean()]), y)\nprint(y / size)", 2,
     "the mean of the ranks' means of x (line 20) is not the mean of all", 1),
    ("x = np.arange(3. + rank)\nprint(comm.allreduce(x.mean()) / comm.Get_size())", 2, "the mean of the ranks' means of x", 1),
    ("x = np.arange(3.)\nprint(comm.allreduce(x.mean()) / size)", 2, "", 0),
    ("x = np.arange(3. + rank)\nprint(comm.allreduce(x.mean() * len(x)) / size)", 2, "", 0),
    ("class Field:\n    def __init__(self): self.data = np.zeros(6)\n    def ghosts(self):\n        d = self.data\n"
     "        comm.Sendrecv(d[-2:-1], (rank + 1) % size, 0, d[:1], (rank - 1) % size, 0)\n"
     "        comm.Sendrecv(d[:1], (rank - 1) % size, 1, d[-1:], (rank + 1) % size, 1)\n"
     "f = Field()\nf.data[1:-1] = rank\nf.ghosts()", 3, "d[:1] is sent to rank (rank - 1) % size, and only what comes", 1),
    ("x = np.ones(4)\ncomm.Bcast(x[[0, 2]])", 2, "x[[0, 2]] is a copy that nobody keeps", 1),
    ("class Part:\n    def __init__(self): self.n = 7\n    def ends(self):\n        width = self.n // size\n        lo = rank * width\n"
     "        return lo, lo + width\n    def count(self):\n        lo, hi = self.ends()\n        x = np.ones(hi - lo)\n"
     "        comm.Allreduce(MPI.IN_PLACE, x)\nPart().count()", 2, "so that no rank gets the last 1", 1),
    ("mine = np.ones(2 + rank)\ninto = None\nif rank == 0:\n    counts = [2] * size\n    into = [np.ones(4), counts]\ncomm.Gatherv(mine, into)",
     2, "Rank 1 sends 3 elements, and counts (line 22) has 2 for it.", 1),
    ("if rank == 0:\n    comm.send({'a': 1}, dest=1)\nelse:\n    status = MPI.Status()\n    message = comm.Mprobe(status=status)\n"
     "    data = bytearray(status.Get_count(MPI.BYTE))\n    message.Recv([data, MPI.BYTE])\n"
     "    assert MPI.pickle.loads(data) == {'a': 1}", 2, "", 0)])
def test_what_mpi_does_otherwise_is_named(tmp_path, text, ranks, words, code):
    got, out, err = under_exec(tmp_path, kBegin + text + "\n", ranks)
    assert got == code and words in err and (words or "misused" not in err), err
