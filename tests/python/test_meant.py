"""`rankscope exec --as`: whether a result is that of the collective that was meant, and whose data are wrong in it."""
import json

import pytest
from programs import needs

needs("torch")

HEAD = """
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
"""

RING = HEAD + """
def my_allreduce(x):
    total, moving = {begin}, x.clone()
    for step in range({steps}):
        box = torch.zeros_like(x)
        request = dist.isend({sent}, (rank + 1) % size)
        dist.recv(box, (rank - 1) % size)
        request.wait()
        total += box
        moving = box
    return total
my_allreduce(torch.tensor([rank + 1.0, 5.0]))
"""

CALL = HEAD + """
def my_allreduce(x):
{body}
x = torch.tensor([rank + 1.0, 2.0])
my_allreduce(x)
"""


MPI = """
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
r, n = comm.rank, comm.size
"""

# Goes round with what it holds, beside the value that should come of it.
SUMS_AGAIN = MPI + """
def main():
    total, expected = np.array([r + 1.0]), np.array([n * (n + 1) / 2])
    box = np.empty(1)
    for step in range(n - 1):
        request = comm.Isend(total, (r + 1) % n)
        comm.Recv(box, (r - 1) % n)
        request.Wait()
        total = total + box
    print(total, expected)
main()
"""

CHECKED = MPI + """
x = np.array([r + 1.0, 7.0 * r])
want, box = np.empty(2), np.empty(2)
comm.Allreduce(x, want)
total, moving = x.copy(), x.copy()
for step in range(n - {less}):
    request = comm.Isend(moving, (r + 1) % n)
    comm.Recv(box, (r - 1) % n)
    request.Wait()
    total += box
    moving = box.copy()
print(np.allclose(total, want))
"""

# Its function is one step short; the variable beside it is made by the built-in one.
BESIDE = MPI + """
def ring(t):
    moving, box = t.copy(), np.empty_like(t)
    for step in range(n - {less}):
        request = comm.Isend(moving, (r + 1) % n)
        comm.Recv(box, (r - 1) % n)
        request.Wait()
        t += box
        moving = box.copy()
def main():
    x = np.array([r + 1.0, 7.0 * r])
    reference = x.copy()
    reference = comm.allreduce(reference)
    ring(x)  # here
    print(x, "expected", reference)
main()
"""

# What is sent is an attribute; what has come is added times over.
TIMES = HEAD + """
class Layer: pass
p = Layer()
p.grad = torch.tensor([rank + 0.5, 2.0])
left = torch.zeros(2)
for step in range(size - 1):
    request = dist.isend(p.grad.clone(), (rank + 1) % size)
    dist.recv(left, (rank - 1) % size)
    request.wait()
    p.grad += left * 2
"""

# The sum begins with zeros; the data are what is sent.
FROM_ZERO = MPI + """
total, going, right = 0, r, (r + 1) % n
for step in range(n):
    request = comm.isend(going, right)
    going = comm.recv(source=(r - 1) % n)
    request.wait()
    total = total + {added}
print(total)
"""

# The ranks that only send get the result by a broadcast.
TREE = MPI + """
x = np.array([r + 1.0])
total, box, gap = x.copy(), np.empty(1), 1
while gap < n:
    if r % (2 * gap) == gap:
        comm.Send(total, r - gap)
        break
    if r + gap < n:
        comm.Recv(box, r + gap)
        total += box
    gap *= 2
comm.Bcast(total, 0)
print(r, total)
"""

# Messages carry an attribute of each of the function's objects; ranks that receive first use it late.
ATTRIBUTE = HEAD + """
class Layer: pass
def sync(layers):
    for p in layers:
        left = torch.empty_like(p.grad)
        if rank > 0:
            dist.recv(left, rank - 1)
            p.grad.data += left
        if rank < size - 1:
            dist.send(p.grad.data, rank + 1)
            dist.recv(p.grad.data, size - 1)
        else:
            for other in range(size - 1):
                dist.send(p.grad.data, other)
layers = [Layer(), Layer()]
for p in layers:
    p.grad = torch.arange(3.0) + 10 * rank
sync(layers)
"""

# What is sent goes round unchanged; a copy of it stands above the loop.
NEVER_PASSED_ON = MPI + """
x = np.array([r + 1.0])
moving, box = x.copy(), np.empty(1)
for step in range(n - 1):
    request = comm.Isend(x.copy(), (r + 1) % n)
    comm.Recv(box, (r - 1) % n)
    request.Wait()
    x += box
"""

# Rank 1 sends zeros; rank n - 1 sends nothing.
GATHERED = MPI + """
def total(x):
    out = x.copy()
    if {sends}:
        comm.Send({sent}, 0)  # sent
    for source in range(1, {senders}) if r == 0 else ():
        box = np.empty_like(x)
        comm.Recv(box, source)
        out += box
    return out
total(np.full(3, r + 1.0))
"""

SECOND_ARGUMENT = MPI + """
def allreduce(send, recv):
    every = np.empty((n, len(send)))
    comm.Allgather(send, every)
    {last}
allreduce(np.arange(4.0) + 40 - 10 * r, np.zeros(4))
"""

HELPER = MPI + """
def shift(out, into):
    request = comm.Isend(out, (r + 1) % n)
    comm.Recv(into, (r - 1) % n)
    request.Wait()
def ring(t):
    box = np.empty_like(t)
    shift(t, box)
    t += box
ring(np.array([r + 1.0, 5.0 * r]))
"""

RECURSION = MPI + """
def tree(x, low, high):
    if high - low == 1:
        return x
    middle, half = (low + high) // 2, (high - low) // 2
    x = tree(x, low, middle) if r < middle else tree(x, middle, high)
    peer = r + half if r < middle else r - half
    box = np.empty_like(x)
    comm.Sendrecv(x, peer, recvbuf=box, source=peer)
    return x + {added}
tree(np.array([r + 1.0, 2.0 * r]), 0, n)
"""

MANY = MPI + """
def total(send, recv):
    out = np.empty_like(send)
    comm.Allreduce(send, out)
    for i in range(len(send)):
        recv[i] = out[i]
total(np.random.rand(8192), np.zeros(8192))
"""

# A ring of chunks in two halves: the sums grow, then they are passed on.
CHUNKS = MPI + """
data = np.array([r + 1.0] * (2 * n))
chunks, box = np.array_split(data, n), np.empty(2)
def shift(out):
    request = comm.Isend(chunks[out % n], (r + 1) % n)
    comm.Recv(box, (r - 1) % n)
    request.Wait()
for step in range(n - 1):
    shift(r - step)
    chunks[(r - step - 1) % n] += box
for step in range(n - {less}):
    shift(r - step + 1)
    chunks[(r - step) % n][:] = box
"""


def ring(begin="x.clone()", steps="size - 1", sent="moving"):
    return RING.format(begin=begin, steps=steps, sent=sent)


def call(*lines):
    return CALL.format(body="\n".join("    " + line for line in lines))


@pytest.fixture
def judged(rankscope, tmp_path):
    def run(program, *options, ranks=4):
        (tmp_path / "p.py").write_text(program)
        outcome = rankscope("exec", "--json", "-n", ranks, "-o", "t.rankscope", *options, "p.py")
        print(outcome.output)
        said = json.loads(outcome.output[outcome.output.index("{\n"):])
        return outcome.code, said["runs"][0]
    return run


def line_of(program, text):
    return [text in line for line in program.split("\n")].index(True) + 1


@pytest.mark.parametrize("program, data, ranks", [
    (CHECKED.format(less=1), "x", 4), (BESIDE.format(less=1), "x", 4), (TREE, "x", 5),
    (ATTRIBUTE, "p.grad", 3), (SECOND_ARGUMENT.format(last="recv[:] = every.sum(axis=0)"), "allreduce", 3),
    (RECURSION.format(added="box"), "tree", 4), (MANY, "total", 2), (FROM_ZERO.format(added="going"), "total", 3)])
def test_a_right_result_follows_other_numbers(judged, program, data, ranks):
    code, run = judged(program, "--as", "allreduce", "--data", data, ranks=ranks)
    assert code == 0 and run["meant"]["result"] == "right"
    assert "also in a second run that began with other numbers" in run["meant"]["says"]


@pytest.mark.parametrize("program, options, ranks, line, words", [
    (SUMS_AGAIN, [], 4, "total = total", "times"),
    (TIMES, [], 2, "p.grad += left", "twice"),
    (FROM_ZERO.format(added="0"), ["--data", "total"], 3, "going = comm.recv", "lacks ranks 1 and 2"),
    (CHECKED.format(less=2), ["--data", "x"], 4, "for step", "too few steps"),
    (BESIDE.format(less=2), ["--data", "x"], 4, "ring(x)  # here", "too few steps"),
    (NEVER_PASSED_ON, ["--data", "x"], 4, "x += box", "three times"),
    (SECOND_ARGUMENT.format(last="recv[:-1] = every.sum(axis=0)[:-1]"), ["--data", "allreduce"], 3, "recv[:-1]",
     "element 3 of recv is never written"),
    (SECOND_ARGUMENT.format(last="recv[:] = every.min(axis=0)"), ["--data", "allreduce"], 3, "recv[:]", "minimum"),
    (HELPER, ["--data", "ring"], 3, "shift(t, box)", "too few steps"),
    (RECURSION.format(added="(box if half == 1 else 0)"), ["--data", "tree"], 4, "x = tree(", "lacks")],
    ids=["expected beside it", "several times at once", "zeros", "checked", "reference beside it", "a copy above", "last element", "minimum", "helper", "recursion"])
def test_a_wrong_result_is_not_acquitted(judged, program, options, ranks, line, words):
    code, run = judged(program, "--as", "allreduce", *options, ranks=ranks)
    assert code == 1 and run["meant"]["result"] == "wrong"
    finding = run["findings"][0]
    assert words in finding["what"] and "No rank sends" not in finding["why"]
    assert finding["site"] == "p.py:%d" % line_of(program, line)


def test_a_rank_passes_on_what_it_received(judged):
    code, run = judged("""
from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank == 0:
    data = 45
    for i in range(1, 3):
        comm.send(data, dest=i)
else:
    data = comm.recv(source=(comm.rank - 1) // 2)
    if comm.rank == 1:
        comm.send(data, dest=3)
""", "--as", "broadcast", ranks=4)
    assert code == 0 and run["meant"]["data"] == "data"
    assert "also in a second run that began with other numbers" in run["meant"]["says"]


def test_a_variable_that_is_used_again_for_a_check_is_not_wrong(judged):
    code, run = judged("""
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, left, right = comm.rank, (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
s = rank
if rank == 0:
    comm.send(s, dest=right)
    s += comm.recv(source=left)
    comm.send(s, dest=right)
    s = comm.recv(source=left)
else:
    s += comm.recv(source=left)
    comm.send(s, dest=right)
    s = comm.recv(source=left)
    comm.send(s, dest=right)
s = comm.allreduce(rank, op=MPI.SUM)
""", "--as", "allreduce:sum", ranks=3)
    assert code == 0 and run["meant"]["result"] == "right", run


def test_an_unwritten_function_is_judged_and_not_the_wrapper_that_checks_it(judged):
    program = """
import numpy as np
from mpi4py import MPI
def Allreduce(source, out):
    MPI.COMM_WORLD.Allreduce(source, out)
def my_allreduce(source, out):
    \"\"\"To be written.\"\"\"
x, expected, mine = np.full(3, MPI.COMM_WORLD.rank + 1.0), np.zeros(3), np.zeros(3)
Allreduce(x, expected)
my_allreduce(x, mine)
"""
    code, run = judged(program, "--as", "allreduce", ranks=2)
    assert code == 1 and run["meant"]["result"] == "wrong"
    assert "my_allreduce sends nothing and changes none of its arguments" in run["findings"][0]["what"]
    assert run["findings"][0]["site"] == "p.py:%d" % line_of(program, "def my_allreduce")


@pytest.mark.parametrize("values, line, words", [
    ({"sends": "r > 0", "sent": "np.zeros(3) if r == 1 else x", "senders": "n"}, "# sent",
     "rank 1 sends only zeros there"),
    ({"sends": "0 < r < n - 1", "sent": "x", "senders": "n - 1"}, "if 0 < r",
     "rank 3 sends nothing, but other ranks send at p.py:")], ids=["zeros", "silent"])
def test_a_rank_whose_data_never_leave_it_is_named(judged, values, line, words):
    program = GATHERED.format(**values)
    code, run = judged(program, "--as", "reduce", "--data", "total", ranks=4)
    finding = run["findings"][0]
    assert code == 1 and words in finding["what"], finding
    assert finding["site"] == "p.py:%d" % line_of(program, line)


@pytest.mark.parametrize("less, end", [
    (2, "Rank 0 has 8 in element 4 (chunk 2); it should have 10. Rank 1's part is missing. Rank 3 holds the right sum "
        "after step 5 and never sends it to rank 0."),
    (1, "the run is over")])
def test_a_wrong_value_is_followed_to_where_it_was_lost(judged, rankscope, less, end):
    code, run = judged(CHUNKS.format(less=less), "--as", "allreduce", "--data", "data")
    told = rankscope("trace", "narrate", "t.rankscope").output
    print(told)
    assert code == less - 1 and end in " ".join(told.split())
    assert ("missing" in told) == (less == 2)


BUILT_IN = call("dist.all_reduce(x)")


@pytest.mark.parametrize("program", [ring(), BUILT_IN, call("y = x.clone()", "dist.all_reduce(y)", "return y")])
def test_a_right_result_is_called_right(judged, rankscope, program):
    code, run = judged(program, "--as", "allreduce:sum")
    assert code == 0
    assert run["meant"]["result"] == "right" and run["meant"]["data"] == "x"
    assert not [one for one in run["findings"] if one["severity"] != "hint"]
    if program == BUILT_IN:  # check judges by what it is asked itself
        assert rankscope("check", "t.rankscope").code == 0
        again = rankscope("check", "t.rankscope", "--as", "allreduce:mean")
        assert again.code == 1 and "not divided" in again.output


WRONG = [
    ("allreduce:sum", ring(begin="x + x"), "total += box", "twice"),
    ("allreduce:sum", ring(steps="size - 2"), "for step in", "too few steps"),
    ("allreduce:sum", ring(sent="x"), "total += box", "three times"),
    ("allreduce:mean", call("dist.all_reduce(x)"), "all_reduce(x)", "not divided"),
    ("allreduce:sum", call("dist.all_reduce(x, op=dist.ReduceOp.MAX)"), "all_reduce(x", "is the maximum"),
    ("allreduce:sum", call("y = x.clone()", "dist.all_reduce(y)"), "all_reduce(y", "dropped"),
    ("allreduce:mean", call("y = x / size", "dist.barrier()", "return y"), "y = x / size", "lacks ranks 1, 2"),
    ("allgather", call("parts = [torch.zeros_like(x) for _ in range(size)]", "dist.all_gather(parts, x)",
                       "return torch.cat(parts[::-1])"), "return torch.cat", "wrong order"),
    ("broadcast:0", call("dist.broadcast(x, src=1)"), "dist.broadcast", "has the data of rank 1"),
]


# Each starts torch twice.
@pytest.mark.parametrize("meant, program, line, words", [
    pytest.param(*row, id=row[3], marks=[] if row[3] in ("twice", "not divided") else pytest.mark.full) for row in WRONG])
def test_a_wrong_result_has_its_cause_and_line(judged, meant, program, line, words):
    code, run = judged(program, "--as", meant, "--data", "x")
    assert code == 1
    assert run["meant"]["result"] == "wrong"
    finding = run["findings"][0]
    assert finding["kind"] == "wrong result" and finding["severity"] == "error"
    assert words in finding["what"]
    assert finding["site"] == "p.py:%d" % line_of(program, line)


def test_an_input_that_is_changed_is_a_warning(judged):
    program = call("if rank == 0: x += 0.5", "y = x - 0.5 * (rank == 0)", "dist.all_reduce(y)", "return y")
    code, run = judged(program, "--as", "allreduce:sum")
    assert code == 0
    assert [(one["kind"], one["severity"]) for one in run["findings"]][:1] == [("input changed", "warning")]
    assert run["findings"][0]["ranks"] == [0]


def test_without_as_nobody_says_that_a_result_is_right(judged, rankscope):
    judged(BUILT_IN)
    said = rankscope("check", "t.rankscope")
    assert said.code == 0 and "name the collective with --as" in said.output
    known = rankscope("check", "t.rankscope", "--as", "allreduce")
    assert known.code == 0 and "does not hold what the ranks began and ended with" in known.output


@pytest.mark.parametrize("options, words", [
    (["--as", "allredcue"], "did you mean 'allreduce'"), (["--as", "allreduce:som"], "sum, product, min, max, mean"),
    (["--as", "barrier"], "moves no data"), (["--as", "allreduce:2"], "has no root"), (["--data", "x"], "give --as")])
def test_what_cannot_be_meant_is_said_with_the_choices(rankscope, options, words):
    outcome = rankscope("exec", "-n", 2, *options, "p.py")
    assert outcome.code == 2 and words in outcome.output


HINTS = [
    ("no data sent", HEAD + "def exchange(x):\n    dist.send(x, 1)\ndist.barrier()\n"),
    ("one value only", HEAD + """
box = torch.zeros(4)
request = dist.isend(torch.zeros(4), (rank + 1) % size)
dist.recv(box, (rank - 1) % size)
request.wait()
"""),
    ("not passed on", ring(sent="x")),
    ("built-in instead of own function", BUILT_IN),
]


@pytest.mark.parametrize("kind, program", [
    pytest.param(*row, id=row[0], marks=[] if row[0] == "not passed on" else pytest.mark.full) for row in HINTS])
def test_what_looks_wrong_is_a_hint(judged, kind, program):
    code, run = judged(program)
    assert code == 0
    assert kind in [one["kind"] for one in run["findings"] if one["severity"] == "hint"]


def test_elements_that_are_called_bytes(judged):
    program = HEAD + """
t, moved = torch.ones(10) * rank, 0
dist.all_reduce(t) if size == 1 else dist.send(t, 1) if rank == 0 else dist.recv(t, 0)
moved += t.numel()
print("moved", moved, "bytes")
"""
    code, run = judged(program, ranks=2)
    assert code == 0
    finding = run["findings"][0]
    assert finding["kind"] == "elements for bytes" and "which take 40 bytes" in finding["what"]
    assert finding["site"] == "p.py:%d" % line_of(program, "moved += ")
    _, right = judged(program.replace("t.numel()", "t.numel() * t.element_size()"), ranks=2)
    assert "elements for bytes" not in [one["kind"] for one in right["findings"]]


def test_a_name_may_be_that_of_a_local_variable_of_the_caller(judged):
    program = HEAD + """
def my_allreduce(x):
    total = x.clone()
    for other in range(size):
        if other != rank:
            request, box = dist.isend(x, other), torch.empty_like(x)
            dist.recv(box, other)
            request.wait()
            total += box
    x.copy_({result})

def main():
    values = torch.tensor([rank + 1.0, 5.0])
    my_allreduce(values)

main()
"""
    code, run = judged(program.format(result="total"), "--as", "allreduce", "--data", "values")
    assert code == 0 and run["meant"]["result"] == "right", run
    code, run = judged(program.format(result="x"), "--as", "allreduce", "--data", "values")
    assert code == 1 and run["meant"]["result"] == "wrong", run


def test_the_result_of_a_long_loop_is_its_last_value(judged):
    code, run = judged(HEAD + """
x = torch.arange(150.0) + rank
total, box = torch.zeros(150), torch.empty(150)
for i in range(150):
    total[i] = x[i]
for other in range(size):
    if other != rank:
        request = dist.isend(x, other)
        dist.recv(box, other)
        for i in range(150):
            total[i] += box[i]
        request.wait()
""", "--as", "allreduce", "--data", "x")
    assert code == 0 and run["meant"]["result"] == "right", run


@pytest.mark.parametrize("received", ["comm.recv(source=other)", "comm.irecv(source=other).wait()"])
def test_data_that_a_root_keeps_in_no_variable_are_not_guessed(judged, received):
    code, run = judged(MPI + f"""
if r != 0:
    line = [float(r), 2.0 * r]
    comm.send(line, dest=0)
else:
    table = [[] for other in range(n)]
    table[0] = [5.0, 6.0]
    for other in range(1, n):
        line = {received}
        table[int(line[0])] = line
""", "--as", "gather")
    assert code == 0 and run["meant"]["result"] not in ("right", "wrong"), run


COPIES = HEAD + """
data = torch.arange(2.0 * size) + 1 + 10 * rank
for step in range(1, size):
    peer = rank ^ step
    block = data[2 * peer:2 * peer + 2].clone()
    request = dist.isend(block, peer)
    dist.recv(data[2 * peer:2 * peer + 2], peer)
    request.wait()
"""

PARTS = HEAD + """
data, box = torch.arange(float(size)) + 1 + 10 * rank, torch.zeros(1)
for step in range(2 * size - 2):
    out, back = (rank - step) % size, (rank - step - 1) % size
    part = data[out:out + 1] + 0
    request = dist.isend(part, (rank + 1) % size)
    dist.recv(box, (rank - 1) % size)
    request.wait()
    data[back:back + 1] = data[back:back + 1] * (step < size - 1) + box
"""

CHAIN = HEAD + """
data = torch.arange(4.0) + 1 if rank == 0 else torch.zeros(4)
if rank > 0:
    dist.recv(data, rank - 1)
if rank + 1 < size:
    passed = data.clone()
    dist.send(passed, rank + 1)
"""


@pytest.mark.parametrize("program, meant", [(COPIES, "alltoall"), (PARTS, "allreduce"), (CHAIN, "broadcast")])
def test_messages_may_carry_copies_of_parts(judged, program, meant):
    code, run = judged(program, "--as", meant)
    assert code == 0 and run["meant"]["result"] == "right" and run["meant"]["data"] == "data"
    assert "also in a second run that began with other numbers" in run["meant"]["says"]


def test_a_wrong_block_is_found_behind_a_copy(judged):
    code, run = judged(COPIES.replace("size):", "size - 1):"), "--as", "alltoall")
    assert code == 1 and "it has block 3 of rank 0's data" in run["findings"][0]["what"]


@pytest.mark.parametrize("body", [
    "    block = torch.tensor([10.0 * rank + peer])\n    request = dist.isend(block, peer)\n"
    "    dist.recv(out[peer:peer + 1], peer)\n    request.wait()\n",
    "    out[peer:peer + 1] = swap(torch.tensor([10.0 * rank + peer]), peer)\n"], ids=["made", "helper"])
def test_blocks_of_no_known_array_are_not_judged(judged, body):
    code, run = judged(HEAD + """
def swap(block, peer):
    got = torch.zeros_like(block)
    request = dist.isend(block, peer)
    dist.recv(got, peer)
    request.wait()
    return got

out = torch.full((size,), 11.0 * rank)
for step in range(1, size):
    peer = rank ^ step
""" + body, "--as", "alltoall")
    assert code == 0 and run["meant"]["result"] not in ("right", "wrong"), run


def test_what_a_rank_has_received_is_not_taken_for_its_data(judged):
    code, run = judged(MPI + "came = total = 0\nfor i in range(n):\n    came = comm.sendrecv(r if i == 0 else came, (r + 1) % n, "
                       "source=(r - 1) % n)\n    total += came\nprint(total)\n", "--as", "allreduce")
    assert code == 0 and run["meant"]["result"] != "wrong", run
