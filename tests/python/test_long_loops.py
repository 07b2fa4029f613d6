"""With --as, a long loop before the first message is followed in part, and the result is judged all the same."""
import json

import pytest

PROGRAM = """
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, count = comm.rank, 0
for i in range(20_000):
    step = rank + 1
    count += step
total = count
if rank:
    comm.send(PART, dest=0)
else:
    for other in range(1, comm.size):
        total += comm.recv(source=other)
"""


@pytest.mark.parametrize("part, code", [("count", 0), ("1", 1)])
def test_a_long_loop_before_the_first_message_is_followed_in_part(rankscope, tmp_path, part, code):
    (tmp_path / "p.py").write_text(PROGRAM.replace("PART", part))
    outcome = rankscope("exec", "--json", "-n", 4, "-o", "t.rankscope", "--as", "reduce", "--data", "count", "p.py")
    run = json.loads(outcome.output[outcome.output.index("{\n"):])["runs"][0]
    assert outcome.code == code and run["meant"]["result"] == ("wrong" if code else "right"), run
