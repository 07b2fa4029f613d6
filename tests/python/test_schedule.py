"""rankscope.schedule: moves as text, and what it says of mistakes."""
import re
import subprocess
import sys

import pytest
from programs import WAIT_LIMIT

from rankscope import schedule


def table_of(tmp_path, text, ranks=4):
    """The module's output for a file, run as `rankscope schedule` runs it."""
    path = tmp_path / "program.py"
    path.write_text(text)
    code = "import sys; from rankscope.schedule import main; sys.exit(main(*sys.argv[1:]))"
    folder = schedule.__file__.rsplit("/rankscope/", 1)[0]
    return subprocess.run([sys.executable, "-c", code, str(path), str(ranks), "ring.py"], capture_output=True, text=True,
                          env={"PYTHONPATH": folder, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
                          timeout=WAIT_LIMIT)


def test_moves_are_lines_of_the_table():
    moves = [schedule.send(1, 0, 3, 2, "add"), schedule.send(2, 3, 0)]
    assert schedule.text(moves) == "1: 0 -> 3 chunk 2 add\n2: 3 -> 0 all keep\n"
    assert schedule.text([], chunks=6) == "chunks 6\n"


@pytest.mark.parametrize("arguments, words", [
    ((0, 0, 1), "step should be 1 or more"),
    ((1, 0.5, 1), "src should be a whole number, not 0.5"),
    ((1, 0, "1"), "dst should be a whole number"),
    ((1, 0, 1, -1), "chunk should be 0 or more"),
    ((1, 0, 1, 0, "copy"), 'how should be "add" or "keep"'),
])
def test_mistakes_say_what_to_write(arguments, words):
    with pytest.raises(schedule.ScheduleError, match=words):
        schedule.send(*arguments)


def test_a_file_is_run_and_its_own_output_kept_apart(tmp_path):
    run = table_of(tmp_path, "from rankscope.schedule import send\nchunks = lambda n: 2 * n\n"
                             "def moves(n):\n    print('mine')\n    yield send(1, 0, n - 1, 5, 'add')\n")
    assert (run.returncode, run.stdout) == (0, "chunks 8\n1: 0 -> 3 chunk 5 add\n")
    assert run.stderr == "mine\n"


@pytest.mark.parametrize("text, words", [
    ("def moves(n):\n    yield 3\n", "move 1 should be made by send"),
    ("x = 1\n", "a function moves\\(n\\)"),
    ("def moves(n):\n    yield 1 / 0\n", "ring.py, line 2"),
    ("def moves(n:\n", "SyntaxError"),
    ("raise SystemExit(0)\n", "ring.py, line 1"),
])
def test_a_file_without_a_schedule_is_refused(tmp_path, text, words):
    run = table_of(tmp_path, text)
    assert run.returncode == 1
    assert run.stdout == ""
    assert re.search(words, run.stderr), run.stderr
