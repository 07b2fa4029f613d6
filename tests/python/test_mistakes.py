"""Programs with a known mistake: the report names its cause and its line, and proposes what helps."""
import json

import pytest
from programs import needs, under_exec

TAG, SOURCE, PARTNERS, CIRCLES, WAITS = "wrong_tag", "wrong_source", "halving", "two_circles", "no_waits"


def lines_of(outcome, word):
    return [line.strip() for line in outcome.output.splitlines() if line.strip().startswith(word)]


def report(run_ranks, platform, kind, ranks):
    needs("torch" if platform == "torch" else "numpy")
    if platform == "ray":
        outcome = run_ranks("ray_mistakes.py", None, kind, str(ranks))
    else:
        outcome = run_ranks(platform + "_mistakes.py", ranks, kind)
    print(outcome.output)
    return outcome


@pytest.mark.parametrize("platform", ["torch", "mpi"])
def test_a_wrong_tag_is_the_tag(run_ranks, platform):
    outcome = report(run_ranks, platform, TAG, 2)
    assert outcome.code == 1
    (why,), (advice,) = lines_of(outcome, "why:"), lines_of(outcome, "try:")
    assert "The tags differ" in why and "tag 1" in why and "tag 2 only" in why
    assert "Give both the same tag" in advice and "receive first" not in advice


@pytest.mark.parametrize("platform", ["torch", "mpi"])
def test_a_wrong_source_is_the_receives(run_ranks, platform):
    outcome = report(run_ranks, platform, SOURCE, 3)
    assert outcome.code == 1
    (why,), (advice,) = lines_of(outcome, "why:"), lines_of(outcome, "try:")
    assert "The receive names the wrong source" in why
    assert "(rank - 1) % size" in advice and "isend" not in advice.lower()
    assert len(lines_of(outcome, "error:")) == 1


@pytest.mark.parametrize("platform", ["torch", "mpi", "ray"])
def test_partners_that_are_no_pairs(run_ranks, platform):
    outcome = report(run_ranks, platform, PARTNERS, 3)
    (why,), (advice,) = lines_of(outcome, "why:"), lines_of(outcome, "try:")
    assert "rank 2's partner is rank 1, but rank 1's partner is rank 0" in why
    assert "3 is no power of two" in advice and "isend" not in advice.lower()


@pytest.mark.parametrize("platform", ["torch", "mpi", "ray"])
def test_two_circles_at_one_line_are_one_finding(run_ranks, platform):
    outcome = report(run_ranks, platform, CIRCLES, 4)
    (error,) = lines_of(outcome, "error:")
    assert "deadlock" in error and "0 → 1 → 0" in error and error.endswith("; ranks 2 and 3 likewise")
    own = {"torch": "isend", "mpi": "Sendrecv", "ray": "receive first"}[platform]
    assert all(own in line for line in lines_of(outcome, "try:"))


@pytest.mark.parametrize("platform", ["torch", "mpi"])
def test_waits_that_are_missing_come_first(run_ranks, platform):
    outcome = report(run_ranks, platform, WAITS, 3)
    errors, warnings = lines_of(outcome, "error:"), lines_of(outcome, "warning:")
    assert (len(errors), len(warnings)) == ((1, 1) if platform == "mpi" else (2, 0))  # MPI ends its sends by itself
    assert all("request never waited for" in line for line in errors + warnings)
    assert outcome.code == 1


# kind of mistake, platform, ranks; words of the first finding, of why, of the advice
NAMED = [
    ("chain", "torch", 3, "waits for its message (tag 0) at torch_mistakes.py:61",
     "wrong source: rank 2 waits for a message from rank 1", "Receive from rank 0 on rank 2"),
    ("chain", "mpi", 3, "waits for its message at mpi_mistakes.py:62",
     "wrong source: rank 2 waits for a message from rank 1", "Receive from rank 0 on rank 2"),
    ("pairs", "torch", 4, "torch_mistakes.py:72", "do not form pairs", "partner whose partner it is"),
    ("pairs", "mpi", 4, "mpi_mistakes.py:68", "do not form pairs", "partner whose partner it is"),
    ("tag_order", "torch", 2, "torch_mistakes.py:79", "tags come in another order", "tag 10 first"),
    ("tag_order", "mpi", 2, "mpi_mistakes.py:74", "tags come in another order", "tag 10 first"),
    ("lost_request", "torch", 2, "nobody waits for rank 0's receive from rank 1 at torch_mistakes.py:", "ended without",
     "wait for it"),
    ("early_result", "torch", 2, 'reads "losses" before the wait for the allreduce', "timing", "Wait first"),
    ("lost_sum", "torch", 2, "'s allreduce at torch_mistakes.py:", "Only the wait", "Keep the request"),
    ("next_round", "torch", 3, " changed (16 bytes) at torch_mistakes.py:", "old values",
     "Wait for the request before"),
]


# On one platform each; the diagnosis is of the trace, and does not ask which it was.
@pytest.mark.parametrize("kind, platform, ranks, what, why, advice", [
    pytest.param(*row, marks=pytest.mark.full if row[:2] in (("chain", "torch"), ("pairs", "torch"), ("tag_order", "torch"))
                 else []) for row in NAMED])
def test_the_cause_is_named(run_ranks, kind, platform, ranks, what, why, advice):
    outcome = report(run_ranks, platform, kind, ranks)
    first = (lines_of(outcome, "error:") + lines_of(outcome, "warning:"))[0]
    assert what in first, outcome.output
    assert why in lines_of(outcome, "why:")[0] and advice in lines_of(outcome, "try:")[0], outcome.output
    assert ".cpp:" not in outcome.output  # our own lines are no lines of the program
    assert outcome.code == (1 if lines_of(outcome, "error:") else 0)


@pytest.mark.parametrize("kind, expected", [("other", 0), ("same", 1)])
def test_memory_is_known_by_its_rows(run_ranks, rankscope, kind, expected):
    needs("torch")
    outcome = run_ranks("torch_rows.py", 2, kind, options=("-o", "rows.rankscope"))
    found = [line for line in outcome.output.splitlines() if "buffer in use" in line]
    assert len(found) >= expected and bool(found) == bool(expected), outcome.output
    checked = rankscope("--json", "check", "rows.rankscope")
    kinds = {one["severity"] for one in json.loads(checked.output)["findings"]}
    assert checked.code == outcome.code == (1 if "error" in kinds else 0), checked.output


@pytest.mark.parametrize("answered", [True, False])
def test_a_write_that_follows_the_receipt_is_a_remark(tmp_path, answered):
    needs("numpy")
    code, out, err = under_exec(tmp_path, """
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
data, answer = np.full(4000, 1.0 + comm.rank), np.zeros(1)
if comm.rank == 0:
    request = comm.Isend(data, 1)
    %s
    data[:] = 7
    request.Wait()
    comm.Send(answer, 1)
else:
    comm.Recv(np.empty(4000), 0)
    %s
    comm.Recv(answer, 0)
""" % (("comm.Recv(answer, 1)", "comm.Send(answer, 0)") if answered else ("pass", "pass")), 2)
    assert code == (0 if answered else 1), err
    assert ("hint: buffer in use" if answered else "error: buffer in use") in err and "program.py:9" in err
    assert ("it had arrived before what came from rank 1 at program.py:8 was sent" in err) == answered


def test_a_receive_into_sent_memory_is_a_remark_where_it_depends_on_the_receipt(tmp_path):
    needs("numpy")
    code, out, err = under_exec(tmp_path, """
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
data, other = np.full(4000, 1.0 + comm.rank), 1 - comm.rank
mine = np.empty(4000)
request = comm.Isend(data, other)
comm.Recv(mine, other)
answer = comm.Isend(mine * 2, other, tag=1)
comm.Recv(data, other, tag=1)
request.Wait(), answer.Wait()
comm.Send(np.float64(3), other, tag=2)  # a NumPy number is a buffer to be read
comm.Recv(data[:1], other, tag=2)
assert data[0] == 3
""", 2)
    assert code == 0 and "hint: buffer in use" in err, err
    assert "error: buffer" not in err and "warning: buffer" not in err


def test_a_reduce_without_memory_at_its_root_says_so(tmp_path):
    needs("numpy")
    code, out, err = under_exec(tmp_path, """
import numpy as np
from mpi4py import MPI
MPI.COMM_WORLD.Reduce(np.float64(2), None)
""", 2)
    assert code == 1 and "try: Give an array (numpy.zeros(1)) on each rank that gets the result" in err


kBegin = "from mpi4py import MPI\nimport numpy as np\ncomm = MPI.COMM_WORLD\nrank, size = comm.rank, comm.size\n"


@pytest.mark.parametrize("text, code, words", [
    ("part = np.zeros(2 + rank)\ncomm.Scatter(np.ones(6) if rank == 0 else None, part)", 0, ""),
    ("comm.Gather(np.ones(2 - rank // 2), np.zeros(6) if rank == 0 else None)", 1, "Call Gatherv, which takes parts"),
    ("for turn in range(3):\n    x = comm.gather(rank)\n    if rank == 0 and turn == 1:\n        continue\n    comm.bcast(1)", 1,
     "also before the continue in line 8"),
    ("for turn in range(3):\n    x = comm.gather(rank)\n    continued = turn\n    for one in range(2):\n        continue\n"
     "    if rank == 0 and turn == 1:\n        continue\n    comm.bcast(1)", 1, "also before the continue in line 11"),
    ("comm.bcast(1) if rank == 0 else comm.recv(source=0)", 1, "let rank 1 call broadcast, too"),
    ("comm.send(1, 1) if rank == 0 else comm.recv()" + "\ncomm.recv() if rank == 3 else None", 1, "Let rank 0 send to ranks 2 and 3")])
def test_calls_and_messages_that_some_ranks_leave_out(tmp_path, text, code, words):
    needs("numpy")
    got, out, err = under_exec(tmp_path, kBegin + text + "\n", 4 if "rank == 3" in text else 3)
    assert got == code and words in err and (code or "error" not in err), out + err
