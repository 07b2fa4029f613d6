"""Copies of a program are forked from one process that has loaded NumPy and PyTorch, and are as if each had been started."""
import json

import pytest

STATE = """
import gc, json, os, random, sys
import numpy as np
from mpi4py import MPI
rank = MPI.COMM_WORLD.rank
drawn = [random.random(), float(np.random.rand())]
own = {"rank": rank, "variable": os.environ["RANK"], "forked": gc.get_freeze_count() > 0, "drawn": drawn, "argv": sys.argv[1:],
       "name": __name__, "file": os.path.basename(__file__), "leads": os.getpgid(0) == os.getpid(),
       "descriptors": sorted(int(one) for one in os.listdir("/proc/self/fd"))[:3], "parent": os.getppid()}
everybody = MPI.COMM_WORLD.gather(own)
if rank == 0:
    print(json.dumps(everybody))
"""


def states(rankscope, tmp_path, text=STATE, **files):
    (tmp_path / "p.py").write_text(text)
    for name, content in files.items():
        (tmp_path / (name + ".py")).write_text(content)
    done = rankscope("exec", "-n", 3, "p.py", "one", "two")
    assert done.code == 0, done.output
    return json.loads(next(line for line in done.output.splitlines() if line.startswith("[{")))


def test_copies_are_forked_and_each_is_itself(rankscope, tmp_path):
    copies = states(rankscope, tmp_path)
    assert all(copy["forked"] and copy["leads"] for copy in copies)
    assert [(copy["rank"], copy["variable"]) for copy in copies] == [(0, "0"), (1, "1"), (2, "2")]
    assert {(copy["name"], copy["file"], *copy["argv"]) for copy in copies} == {("__main__", "p.py", "one", "two")}
    assert len({copy["parent"] for copy in copies}) == 1
    assert all(copy["descriptors"] == [0, 1, 2] for copy in copies)
    for draw in zip(*(copy["drawn"] for copy in copies)):
        assert len(set(draw)) == 3


@pytest.mark.parametrize("before, files", [
    ("names = {'a', 'b'}", {}),                            # each process has an order of its own
    ("import os\nos.environ['OPENBLAS_NUM_THREADS'] = '2'", {}),  # NumPy looks at it while it is loaded
    ("import helper", {"helper": "print('told')"}),
    ("", {"colorsys": "value = 1", "secrets": "import hidden"}),  # hides what NumPy loads
])
def test_copies_are_started_where_a_fork_would_be_another_program(rankscope, tmp_path, before, files):
    if "secrets" in files:  # NumPy cannot be loaded at all: each copy says so itself
        (tmp_path / "p.py").write_text(STATE)
        (tmp_path / "secrets.py").write_text(files["secrets"])
        done = rankscope("exec", "-n", 3, "p.py")
        assert done.code == 1 and "No module named 'hidden'" in done.output
        return
    assert not any(copy["forked"] for copy in states(rankscope, tmp_path, before + STATE, **files))


def test_a_module_of_the_program_is_looked_into(rankscope, tmp_path):
    copies = states(rankscope, tmp_path, "import helper\n" + STATE,
                    helper="import numpy\ndef twice(x):\n    return 2 * x\n")
    assert all(copy["forked"] for copy in copies)


def test_an_error_shows_the_programs_own_lines(rankscope, tmp_path):
    (tmp_path / "p.py").write_text("import numpy\nfrom mpi4py import MPI\nMPI.COMM_WORLD.Barrier()\nnumpy.nothing\n")
    done = rankscope("exec", "-n", 2, "p.py")
    assert done.code == 1 and "p.py:4" in done.output
    assert "_stem" not in done.output and "sitecustomize" not in done.output


def test_a_copy_ends_with_its_code_and_writes_what_c_has_buffered(rankscope, tmp_path):
    (tmp_path / "p.py").write_text("""
import atexit, ctypes, gc, sys
import numpy
from mpi4py import MPI
rank, libc = MPI.COMM_WORLD.rank, ctypes.CDLL(None)
MPI.COMM_WORLD.Barrier()
atexit.register(print, "ended", rank, gc.get_freeze_count() > 0)
libc.fopen.restype = ctypes.c_void_p
libc.fputs(b"buffered", ctypes.c_void_p(libc.fopen(b"%d.txt" % rank, b"w")))
sys.exit(3 * rank)
""")
    done = rankscope("exec", "-n", 2, "p.py")
    for rank in range(2):
        assert "ended %d True" % rank in done.output and (tmp_path / ("%d.txt" % rank)).read_text() == "buffered"
    assert "rank 1 exited with code 3" in done.output
