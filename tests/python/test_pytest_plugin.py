"""The plugin that exec loads into pytest."""

import sys

from programs import run, write

kSuite = """
import os, subprocess, sys

def trace(name):
    with open(os.path.join(os.environ["RANKSCOPE_TRACES"], name), "w") as file:
        file.write("trace")

def test_name():
    said = subprocess.check_output([sys.executable, "-c", "import os; print(os.environ['RANKSCOPE_TEST'])"], text=True)
    assert said.strip() == "test_suite.py::test_name"
    trace("passed.rankscope")

def test_fails():
    trace("failed.rankscope")
    assert False

def test_after():
    assert os.environ["RANKSCOPE_TEST"].endswith("::test_after")
"""


def play(folder):
    (folder / "traces").mkdir()
    write(folder, "test_suite.py", kSuite)
    return run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_suite.py"], folder,
               PYTEST_PLUGINS="rankscope.pytest_plugin", RANKSCOPE_TRACES=str(folder / "traces"))


def test_runs_are_named_by_their_test_and_failures_name_their_traces(tmp_path):
    code, out, err = play(tmp_path)
    assert code == 1 and "1 failed, 2 passed" in out, out + err
    assert f"test_suite.py::test_fails: {tmp_path}/traces/failed.rankscope" in out
    assert "passed.rankscope" not in out


def test_without_failures_nothing_is_said(tmp_path):
    write(tmp_path, "test_fine.py", "def test_fine():\n    pass\n")
    code, out, err = run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_fine.py"], tmp_path,
                         PYTEST_PLUGINS="rankscope.pytest_plugin")
    assert code == 0 and "rankscope" not in out
