"""The tests of the Python package. CTest says in RANKSCOPE_BINARY where the built `rankscope` is."""
import os
import pathlib
import subprocess
import sys

import pytest
from programs import WAIT_LIMIT

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
sys.path.insert(0, str(ROOT / "lessons" / "python"))
sys.path.insert(0, str(ROOT / "tests" / "students"))


class Outcome:
    """The exit code and output of a program under `rankscope exec`."""

    def __init__(self, code, output):
        self.code = code
        self.output = output

    def lines(self):
        return sorted(line for line in self.output.splitlines() if line.startswith("rank "))


def rule_of(result, kind):
    """The first rule of a kind in an exercise's result."""
    return next(rule for rule in result["rules"] if rule["kind"] == kind)


@pytest.fixture
def rankscope(tmp_path):
    """Runs `rankscope` with arguments in a folder, and gives its exit code and all output."""
    binary = os.environ.get("RANKSCOPE_BINARY")
    if not binary:
        pytest.skip("RANKSCOPE_BINARY names no built rankscope")

    def run(*arguments, folder=tmp_path, **variables):
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", **variables}
        done = subprocess.run([binary, *map(str, arguments)], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=WAIT_LIMIT)
        return Outcome(done.returncode, done.stdout)
    return run


@pytest.fixture
def run_ranks(rankscope):
    """Runs one of our programs as N ranks (None: it makes them itself)."""
    def run(program, ranks=None, *arguments, options=(), **variables):
        count = () if ranks is None else ("-n", str(ranks))
        return rankscope("exec", *count, *options, "--", sys.executable, str(PROGRAMS / program), *arguments,
                         **variables)
    return run
