"""The same mistakes on each platform that has them: the cause first, at the program's line, in the platform's own words.

Each program is written once, with the calls in capital letters that every platform writes in its own way."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest
from programs import WAIT_LIMIT, environment, kRefused, needs, rankscope, run, under_exec, write

HEADS = {
    "torch": """
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
def part(rank, size):
{body}
part(rank, size)
""",
    "mpi": """
import numpy as np
from mpi4py import MPI
comm = MPI.COMM_WORLD
def part(rank, size):
{body}
part(comm.rank, comm.size)
""",
    "ray": kRefused + """
import numpy as np
import ray
import ray.util.collective as col
def part(rank, size):
{body}
@ray.remote
class Worker:
    def __init__(self, rank, size):
        self.rank, self.size = rank, size
        col.init_collective_group(size, rank, "gloo", "g")
    def work(self):
        part(self.rank, self.size)
ray.init()
workers = [Worker.remote(rank, RANKS) for rank in range(RANKS)]
ray.get([worker.work.remote() for worker in workers])
"""}

CALLS = {
    "torch": {"SEND": r"dist.send(\1, \2)", "RECV": r"dist.recv(\1, \2)", "ALLREDUCE": r"dist.all_reduce(\1)",
              "BARRIER": "dist.barrier()", "ZEROS": r"torch.zeros(\1)", "FULL": r"torch.full((4,), \1 + 0.5)",
              "COPY": r"\1.clone()", "ISEND": r"dist.isend(\1, \2)", "IRECV": r"dist.irecv(\1, \2)", "WAIT": r"\1.wait()",
              "BYTES": r"\1.numel()"},
    "mpi": {"SEND": r"comm.Ssend(\1, dest=\2)", "RECV": r"comm.Recv(\1, source=\2)",
            "ALLREDUCE": r"comm.Allreduce(MPI.IN_PLACE, \1)", "BARRIER": "comm.Barrier()", "ZEROS": r"np.zeros(\1)",
            "FULL": r"np.full(4, \1 + 0.5)", "COPY": r"\1.copy()", "ISEND": r"comm.Isend(\1, dest=\2)",
            "IRECV": r"comm.Irecv(\1, source=\2)", "WAIT": r"\1.Wait()", "BYTES": r"\1.size"},
    "ray": {"SEND": r"col.send(\1, \2, \"g\")", "RECV": r"col.recv(\1, \2, \"g\")", "ALLREDUCE": r"col.allreduce(\1, \"g\")",
            "BARRIER": r"col.barrier(\"g\")", "ZEROS": r"np.zeros(\1)", "FULL": r"np.full(4, \1 + 0.5)",
            "COPY": r"\1.copy()", "BYTES": r"\1.size"},
}
# Not a word of another platform's.
FOREIGN = {"torch": "Sendrecv|sendrecv|Isend|IN_PLACE", "mpi": r"isend, then recv\b|clone\(\)\.$", "ray": "Sendrecv|sendrecv|Use isend"}


def program(platform, body, ranks):
    text = HEADS[platform].replace("{body}", "".join("    %s\n" % line for line in body.strip("\n").split("\n")))
    for name, call in CALLS[platform].items():
        arguments = r"\(\)" if name == "BARRIER" else r"\(([^,()]*)(?:, ((?:[^()]|\([^()]*\))*))?\)"
        text = re.sub(r"\b%s%s" % (name, arguments), call.replace('\\"', '"'), text)
    return text.replace("RANKS", str(ranks))


def said_of(folder, platform, body, ranks, *options):
    """The program's text, what exec says of its run, and what stands on standard error."""
    needs("torch" if platform == "torch" else "numpy")
    text = program(platform, body, ranks)
    code, out, err = under_exec(folder, text, None if platform == "ray" else ranks,
                                options=["--json", "--timeout", "60", "-o", "t.rankscope", *options])
    print(text, out, err)
    return text, json.loads(out[out.index("{\n"):])["runs"][0], code, err


def line_of(text, words):
    return next(number for number, line in enumerate(text.split("\n"), 1) if words in line)


def on(*platforms, quick=()):
    """Every platform that has the case; all but the quick ones only in the long tests."""
    return pytest.mark.parametrize("platform", [pytest.param(one, marks=[] if one in quick else pytest.mark.full)
                                                for one in platforms])


def check_words(platform, findings):
    for one in findings:
        for part in ("what", "why", "advice", "site"):
            assert not re.search(r"\.cpp:|tag -?\d{4,}|tag -1", one[part]), one
        assert not re.search(FOREIGN[platform], one["advice"]), one


@on("torch", "mpi", "ray", quick=("ray",))
def test_a_ring_that_receives_from_the_side_it_sends_to(tmp_path, platform):
    body = """
right = (rank + 1) % size
got = ZEROS(4)
if rank % 2 == 0:
    SEND(FULL(rank), right)
    RECV(got, right)  # here
else:
    RECV(got, right)  # there
    SEND(FULL(rank), right)
""".replace("SEND(FULL(rank), right)", "mine = FULL(rank); SEND(mine, right)")
    text, said, code, _ = said_of(tmp_path, platform, body, 4)
    first = said["findings"][0]
    assert code == 1 and said["status"] == "deadlock"
    assert "wrong source" in first["why"] and first["site"] == "program.py:%d" % line_of(text, "# there"), first
    check_words(platform, said["findings"])


@on("torch", "mpi", "ray")
def test_the_pending_verbs_of_a_run_that_was_ended_are_named(tmp_path, platform):
    body = """
if rank == 0:
    while True:
        pass  # endless
box = ZEROS(4)
RECV(box, 0)  # pending
"""
    text = program(platform, body, 3)
    options = ["--json", "--timeout", "4", "-o", "t.rankscope"]
    code, out, err = under_exec(tmp_path, text, None if platform == "ray" else 3, options=options)
    said = json.loads(out[out.index("{\n"):])["runs"][0]
    kinds = [one["kind"] for one in said["findings"]]
    assert code == 1 and said["status"] == "timeout" and kinds == ["endless work", "not ended"], (said, err)
    pending = said["findings"][1]
    assert pending["site"] == "program.py:%d" % line_of(text, "# pending") and pending["ranks"] == [1, 2], pending
    code, out, _ = run([rankscope(), "check", "--json", "t.rankscope"], tmp_path)
    assert code == 1 and json.loads(out)["findings"] == said["findings"]
    check_words(platform, said["findings"])


@on("torch", "mpi", "ray")
def test_ctrl_c_says_in_which_verb_each_rank_was(tmp_path, platform):
    body = """
if rank == 0:
    print("ready", flush=True)
    while True:
        pass
box = ZEROS(4)
RECV(box, 0)  # pending
"""
    text = program(platform, body, 2)
    path = write(tmp_path, "program.py", text)
    variables = environment()
    del variables["PYTHONPATH"]
    copies = [] if platform == "ray" else ["-n", "2"]
    with subprocess.Popen([rankscope(), "exec", *copies, "-o", "t.rankscope", "--", sys.executable, path], text=True,
                          cwd=str(tmp_path), env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert "ready" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=WAIT_LIMIT)
    place = "rank 1 was in recv from rank 0 at program.py:%d" % line_of(text, "# pending")
    assert process.returncode == 130 and place in err, err
    code, out, _ = run([rankscope(), "check", "--json", "t.rankscope"], tmp_path)
    assert code == 1 and place in json.loads(out)["findings"][-1]["what"], out


# Faults that show without knowing what is meant: kind of the hint, body, number of ranks.
HINTS = {
    "no data sent": ("""
def exchange(x):
    SEND(x, 1)
BARRIER()
""", 2),
    "one value only": ("""
box, mine = ZEROS(4), ZEROS(4)
if rank == 0:
    SEND(mine, 1)
    RECV(box, 1)
else:
    RECV(box, 0)
    SEND(mine, 0)
""", 2),
    "not passed on": ("""
x = FULL(rank)
total, box = COPY(x), ZEROS(4)
for step in range(size - 1):
    if rank % 2 == 0:
        SEND(x, (rank + 1) % size)
        RECV(box, (rank - 1) % size)
    else:
        RECV(box, (rank - 1) % size)
        SEND(x, (rank + 1) % size)
    total += box
""", 4),
    "built-in instead of own function": ("""
def ring_allreduce(x):
    ALLREDUCE(x)
x = FULL(rank)
ring_allreduce(x)
""", 2),
}


@pytest.mark.full
@pytest.mark.parametrize("platform", ["torch", "mpi", "ray"])
@pytest.mark.parametrize("kind", HINTS)
def test_what_looks_wrong_is_a_hint(tmp_path, platform, kind):
    body, ranks = HINTS[kind]
    _, said, code, err = said_of(tmp_path, platform, body, ranks)
    assert code == 0, err
    assert kind in [one["kind"] for one in said["findings"] if one["severity"] == "hint"], said["findings"]
    assert not [one for one in said["findings"] if one["severity"] != "hint"]


@on("torch", "mpi", "ray")
def test_a_rank_without_any_message(tmp_path, platform):
    body = """
x, last = FULL(rank), size - 2
if rank < last:
    SEND(x, rank + 1)
if 0 < rank <= last:
    RECV(x, rank - 1)
"""
    _, said, code, _ = said_of(tmp_path, platform, body, 3)
    hints = [one for one in said["findings"] if one["kind"] == "no data sent"]
    assert code == 0 and len(hints) == 1 and hints[0]["ranks"] == [2], said["findings"]


@on("torch", "mpi", "ray")
def test_elements_that_are_called_bytes(tmp_path, platform):
    body = """
x, moved = FULL(rank), 0
if rank == 0:
    SEND(x, 1)
else:
    RECV(x, 0)
moved += BYTES(x)
print("moved", moved, "bytes")
"""
    text, said, code, _ = said_of(tmp_path, platform, body, 2)
    first = said["findings"][0]
    assert code == 0 and first["kind"] == "elements for bytes", said["findings"]
    assert first["site"] == "program.py:%d" % line_of(text, "moved += ")


@on("torch", "mpi", "ray", quick=("mpi",))
def test_a_result_that_is_not_divided(tmp_path, platform):
    body = """
def average(x):
    ALLREDUCE(x)  # here
average(FULL(rank))
""".replace("average(FULL(rank))", "mine = FULL(rank); average(mine)")
    text, said, code, err = said_of(tmp_path, platform, body, 3, "--as", "allreduce:mean", "--data", "x")
    first = said["findings"][0]
    assert code == 1 and first["kind"] == "wrong result" and "not divided" in first["what"], (said, err)
    assert first["site"] == "program.py:%d" % line_of(text, "# here")
    assert "Element 0 is 4.5, the mean is 1.5." in first["why"]


@on("torch", "mpi", "ray")
def test_an_argument_that_is_changed(tmp_path, platform):
    body = """
def add_up(x):
    total = COPY(x)
    ALLREDUCE(total)
    x *= 0  # here
    return total
mine = FULL(rank)
add_up(mine)
"""
    text, said, code, err = said_of(tmp_path, platform, body, 2, "--as", "allreduce:sum", "--data", "x")
    first = said["findings"][0]
    assert code == 0 and first["kind"] == "input changed" and first["severity"] == "warning", (said, err)
    assert first["site"] == "program.py:%d" % line_of(text, "# here")


@on("torch", "mpi")
@pytest.mark.parametrize("row, found", [(1, False), (0, True)])
def test_memory_is_known_by_its_rows(tmp_path, platform, row, found):
    body = """
rows, got = %s, ZEROS(4)
if rank == 0:
    request = ISEND(rows[0], 1)
    rows[%d][:] = 7.0  # here
    RECV(got, 1)
    WAIT(request)
else:
    mine = FULL(rank)
    SEND(mine, 0)
    RECV(got, 0)
""" % ({"torch": "torch.zeros(2, 4)", "mpi": "np.zeros((2, 4))"}[platform], row)
    text, said, _, _ = said_of(tmp_path, platform, body, 2, "--send-mode", "rendezvous")
    in_use = [one for one in said["findings"] if one["kind"] == "buffer in use"]
    assert bool(in_use) == found, said["findings"]
    if found:
        assert in_use[0]["site"] == "program.py:%d" % line_of(text, "# here"), in_use


@on("torch", "mpi", "ray")
def test_the_same_error_of_several_ranks_is_one(tmp_path, platform):
    text, said, code, err = said_of(tmp_path, platform, """
BARRIER()
{}["width"]  # here
""", 3)
    assert code == 1 and len(said["findings"]) == 1, said["findings"]
    assert "program.py:%d in part" % line_of(text, "# here") in said["findings"][0]["what"]
    assert err.count("Traceback (most recent call last)") <= (2 if platform == "ray" else 1), err


@on("torch", "mpi", "ray")
def test_a_peer_that_is_no_integer(tmp_path, platform):
    _, said, code, err = said_of(tmp_path, platform, """
mine = FULL(rank)
if rank == 0:
    SEND(mine, 1.0)
else:
    RECV(mine, 0)
""", 2)
    assert code == 1 and "TypeError" in err and "a rank is an integer, not 1.0" in err, err
    assert "a rank is an integer" in said["findings"][0]["what"], said["findings"]


@on("torch", "mpi", "ray", quick=("mpi",))
def test_a_built_in_that_not_all_ranks_call_is_its_call(tmp_path, platform):
    text, said, code, err = said_of(tmp_path, platform, """
x = FULL(rank)
if rank == 0:
    RECV(x, 1)  # one
else:
    ALLREDUCE(x)  # other
""", 3)
    assert code == 1 and said["status"] == "deadlock"
    check_words(platform, said["findings"])
    assert not re.search(r"\.cpp:\d", err), err
    lines = {"program.py:%d" % line_of(text, words) for words in ("# one", "# other")}
    assert said["findings"][0]["site"] in lines, said["findings"]


@on("torch", "mpi", "ray")
def test_another_order_is_proposed_where_a_replay_ends(tmp_path, platform):
    """In a ring whose ranks all send first it does; where the receive names the wrong side it does not."""
    for source, helps in (("rank - 1", True), ("rank + 1", False)):
        folder = tmp_path / ("helps" if helps else "not")
        os.mkdir(folder)
        _, said, _, _ = said_of(folder, platform, """
mine, got = FULL(rank), ZEROS(4)
left, right = (%s) %% size, (rank + 1) %% size
SEND(mine, right)
RECV(got, left)
""" % source, 3)
        first = said["findings"][0]
        assert first["kind"] == "deadlock", said["findings"]
        assert ("one of the ranks receive first" in first["advice"]) == helps, first
        check_words(platform, said["findings"])
