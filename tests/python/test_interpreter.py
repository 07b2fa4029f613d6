"""Which Python `rankscope exec` runs a script with."""
import os
import sys

import pytest

PROGRAM = """import json
import MODULE
import rankscope
comm = rankscope.join()
print("rank", comm.rank, "runs", MODULE.__name__)
comm.barrier()
"""


@pytest.fixture
def pythons(tmp_path):
    """Two folders with a python3: `rich` has the module `only_here`, `poor` does not. The PATH begins with `poor`."""
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "only_here.py").write_text("")
    for name, before in (("poor", ""), ("rich", f'PYTHONPATH="{modules}:$PYTHONPATH" ')):
        folder = tmp_path / name / "bin"
        folder.mkdir(parents=True)
        (folder / "python3").write_text(f'#!/bin/sh\n{before}exec {sys.executable} "$@"\n')
        (folder / "python3").chmod(0o755)
    (tmp_path / "student.py").write_text(PROGRAM.replace("MODULE", "only_here"))
    (tmp_path / "plain.py").write_text(PROGRAM.replace("MODULE", "math"))
    return tmp_path


@pytest.fixture
def run(rankscope, pythons):
    def start(*arguments, **variables):
        path = f"{pythons / 'poor' / 'bin'}:{pythons / 'rich' / 'bin'}:{os.environ['PATH']}"
        return rankscope("exec", "-n", 2, *arguments, **{"PATH": path, "RANKSCOPE_PYTHON": "", "VIRTUAL_ENV": "",
                                                         "CONDA_PREFIX": "", **variables})
    return start


def test_the_first_python_on_the_path_runs_a_script(run, pythons):
    done = run("plain.py")
    assert done.code == 0, done.output
    assert done.output.startswith("rankscope: Python 3.")
    assert f"({pythons / 'poor' / 'bin' / 'python3'})" in done.output


@pytest.mark.parametrize("name", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_an_active_environment_comes_before_the_path(run, pythons, name):
    done = run("student.py", **{name: str(pythons / "rich")})
    assert done.code == 0, done.output
    assert f"({pythons / 'rich' / 'bin' / 'python3'})" in done.output
    assert done.lines() == ["rank 0 runs only_here", "rank 1 runs only_here"]


def test_the_first_python_that_has_the_modules_runs_a_script(run, pythons):
    done = run("student.py")
    poor, rich = (pythons / name / "bin" / "python3" for name in ("poor", "rich"))
    assert done.code == 0, done.output
    assert f"{poor} lacks only_here ({rich})" in done.output


def test_an_activated_or_named_python_without_the_module_names_the_one_that_has_it(run, pythons):
    poor, rich = (pythons / name / "bin" / "python3" for name in ("poor", "rich"))
    for options, variables in (["--python", poor], {}), ([], {"RANKSCOPE_PYTHON": str(poor)}), ([], {"VIRTUAL_ENV": str(pythons / "poor")}):
        done = run(*options, "student.py", **variables)
        assert done.code == 2, done.output
        assert f"student.py imports only_here, which {poor} does not have" in done.output
        assert f"--python {rich}" in done.output
    assert run("--python", rich, "student.py").code == 0


def test_a_module_that_nobody_has_is_the_programs_own_error(run, pythons):
    (pythons / "student.py").write_text("import nobody_has_this\n")
    done = run("student.py")
    assert done.code == 1
    assert "No module named 'nobody_has_this'" in done.output


@pytest.mark.parametrize("text", [
    "try:\n    import only_here\nexcept ImportError:\n    pass\n",
    "if False:\n    import only_here\n",
    "def later():\n    import only_here\n",
    "import helper_beside\n",
])
def test_imports_that_need_not_run_and_files_beside_ask_for_no_other_python(run, pythons, text):
    (pythons / "helper_beside.py").write_text("")
    (pythons / "student.py").write_text(text + "import rankscope\nrankscope.join().barrier()\n")
    done = run("student.py")
    assert done.code == 0, done.output


def test_a_notebooks_cells_are_asked_for(run, pythons):
    (pythons / "student.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "source": ["%matplotlib inline\\n", "import only_here"]}], "nbformat": 4}')
    done = run("--python", pythons / "poor" / "bin" / "python3", "student.ipynb")
    assert done.code == 2, done.output
    assert "student.ipynb imports only_here" in done.output
