"""The forms in which people start programs: launchers, cells of a notebook that start ranks, ranks that do not meet."""
import json
import pickle

import pytest

torch = pytest.importorskip("torch")

RANK = """import torch
import torch.distributed as dist
dist.init_process_group("gloo")
value = torch.ones(1)
dist.all_reduce(value)
print("rank", dist.get_rank(), "has", int(value))
"""


# As torchrun starts them. (That of Debian 12's torch does not run with its Python.)
START = """import os, subprocess, sys
ranks = int(sys.argv[1])
children = [subprocess.Popen([sys.executable, sys.argv[2]], env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(ranks),
                             "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}) for rank in range(ranks)]
sys.exit(max(child.wait() for child in children))
"""


def notebook(folder, *cells):
    book = {"cells": [{"cell_type": "code", "source": cell} for cell in cells], "nbformat": 4}
    (folder / "student.ipynb").write_text(json.dumps(book))


@pytest.mark.parametrize("address", [
    'os.environ["MASTER_PORT"] = str(29500 + rank)\ndist.init_process_group("gloo")',
    'dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{29500 + rank}", rank=rank, world_size=2)',
])
def test_ranks_at_different_addresses_are_told_at_once(rankscope, tmp_path, address):
    (tmp_path / "apart.py").write_text(
        f'import os\nimport torch.distributed as dist\nrank = int(os.environ["RANK"])\n{address}\n')
    done = rankscope("exec", "-n", 2, "apart.py")
    assert done.code == 1
    assert ("the ranks wait for each other at different addresses: rank 0 at 127.0.0.1:29500, rank 1 at "
            "127.0.0.1:29501. Give all of them the same address and port") in done.output
    assert "apart.py" in done.output and "not all ranks came" not in done.output


@pytest.mark.parametrize("starter", [["torchrun"], ["python3", "-m", "torch.distributed.run"]])
def test_torchrun_and_n_are_one_too_many(rankscope, tmp_path, starter):
    (tmp_path / "student.py").write_text(RANK)
    done = rankscope("exec", "-n", 2, "--", *starter, "--nproc_per_node", 2, "student.py")
    assert done.code == 2
    assert "starts the ranks itself. Leave out -n" in done.output and "Traceback" not in done.output


def test_a_process_of_torchrun_is_no_run_of_its_own(rankscope, tmp_path):
    (tmp_path / "student.py").write_text(RANK)
    done = rankscope("exec", "student.py", TORCHELASTIC_RUN_ID="none", WORLD_SIZE="4")
    assert done.code == 2
    assert "rankscope exec -n 4 -- student.py" in done.output


@pytest.mark.parametrize("cell", [
    "ranks = 2\n!python3 start.py {ranks} \\\n  w.py\nprint('after')",
    "%%bash\n# two of them\npython3 start.py 2 w.py",
    "ranks = 2\nif ranks:\n    !python3 start.py $ranks w.py",
])
def test_a_notebooks_commands_that_start_ranks_are_run(rankscope, tmp_path, cell):
    (tmp_path / "start.py").write_text(START)
    notebook(tmp_path, "%%writefile w.py\n" + RANK, "!pip install nothing", cell)
    done = rankscope("exec", "student.ipynb")
    assert done.code == 0, done.output
    assert done.lines() == ["rank 0 has 2", "rank 1 has 2"]
    assert "w.py: 2 ranks, ended well" in done.output
    assert "left out: !pip install nothing" in done.output
    assert ("after" in done.output) == ("after" in cell)


def test_a_failed_cell_of_the_shell_ends_the_notebook(rankscope, tmp_path):
    notebook(tmp_path, "%%bash\npython3 -c 'raise SystemExit(3)'", "print('not reached')")
    done = rankscope("exec", "student.ipynb")
    assert done.code == 1
    assert "ended with exit code 3" in done.output and "not reached\n" not in done.output


@pytest.mark.parametrize("cell", ["!mpirun --allow-run-as-root -np 2 python3 w.py | cat", "n = 2\n!mpiexec -n {n} w.py",
                                  "%%bash\nsrun --ntasks=2 python3 w.py"])
def test_mpirun_in_a_notebook_starts_ranks(rankscope, tmp_path, cell):
    notebook(tmp_path, "%%writefile w.py\n" + RANK, cell)
    done = rankscope("exec", "student.ipynb")
    assert done.code == 0, done.output
    assert done.lines() == ["rank 0 has 2", "rank 1 has 2"]


def test_commands_of_a_notebook_that_are_left_out_end_it_with_2(rankscope, tmp_path):
    notebook(tmp_path, "!mpirun -n 4 ./ring", "print('after')")
    done = rankscope("exec", "student.ipynb")
    assert done.code == 2 and "after" in done.output
    assert "commands of the notebook that start ranks were left out: mpirun -n 4 ./ring" in done.output


@pytest.mark.parametrize("text, words", [
    ("x = missing_name", "all ranks failed alike before they joined: NameError: name 'missing_name' is not defined"
     " (student.py:2 in <module>)"),
    ("import sys\nsys.exit('no such folder')", "all ranks failed alike before they joined: exit code 1: no such folder"),
    ("import argparse\nparser = argparse.ArgumentParser(prog='a')\nparser.add_argument('n')\nparser.parse_args()",
     "before they joined: exit code 2: a: error: the following arguments are required: n"),
    ("def f(:", "all ranks failed alike before they joined: SyntaxError: invalid syntax (student.py:2)"),
    ("if True:\n        x = 1\n\ty = 2", "(student.py:4)"),
    ("if os.environ['RANK'] == '1':\n    raise ValueError('early')\nimport mpi4py.MPI as M\nM.COMM_WORLD.Barrier()",
     "rank 1 failed before it joined the others: ValueError: early (student.py:3 in <module>)")])
def test_who_fails_before_it_joins_is_named_with_its_line(rankscope, tmp_path, text, words):
    (tmp_path / "student.py").write_text("import os\n" + text + "\n")
    done = rankscope("exec", "-n", 3, "student.py")
    assert done.code == 1 and words in done.output, done.output


def test_a_process_that_fails_before_it_is_a_rank_fails_the_run(rankscope, tmp_path):
    (tmp_path / "student.py").write_text(
        "import multiprocessing\n\ndef work():\n    raise ValueError('too early\\nby far')\n\n"
        "if __name__ == '__main__':\n    child = multiprocessing.Process(target=work)\n"
        "    child.start()\n    child.join()\n")
    done = rankscope("exec", "student.py")
    assert done.code == 1
    assert "because one failed first: ValueError: too early\n  by far (student.py:4 in work)" in done.output


def test_a_flight_recorder_dump_is_named(rankscope, tmp_path):
    entry = {"collective_seq_id": 1, "profiling_name": "nccl:all_reduce", "state": "scheduled"}
    (tmp_path / "dump_0").write_bytes(pickle.dumps({"version": "2.4", "pg_config": {}, "entries": [entry]}))
    done = rankscope("check", "dump_0")
    assert done.code == 2
    assert "a dump of torch's Flight Recorder (NCCL), which is not supported yet" in done.output


@pytest.mark.parametrize("typed, said", [("7\n", "rank 0 has 7"), ("", "EOFError")])
def test_rank_0_reads_standard_input(tmp_path, typed, said):
    import os
    import subprocess
    binary = os.environ.get("RANKSCOPE_BINARY") or pytest.skip("RANKSCOPE_BINARY names no built rankscope")
    (tmp_path / "student.py").write_text(
        "import rankscope\ncomm = rankscope.join()\nif comm.rank == 0:\n    print('rank 0 has', int(input()))\n"
        "comm.barrier()\n")
    done = subprocess.run([binary, "exec", "-n", "2", "student.py"], cwd=tmp_path, input=typed, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    assert said in done.stdout and (done.returncode == 0) == bool(typed)


def test_what_is_typed_at_a_terminal_reaches_rank_0(tmp_path):
    import os
    import pty
    import subprocess
    binary = os.environ.get("RANKSCOPE_BINARY") or pytest.skip("RANKSCOPE_BINARY names no built rankscope")
    (tmp_path / "student.py").write_text(
        "import rankscope\ncomm = rankscope.join()\nif comm.rank == 0:\n    for _ in range(2):\n"
        "        print('rank 0 has', input())\ncomm.barrier()\n")
    typing, terminal = pty.openpty()
    with subprocess.Popen([binary, "exec", "-n", "2", "student.py"], cwd=tmp_path, stdin=terminal, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as program:
        os.write(typing, b"one\ntwo\n")
        said, _ = program.communicate(timeout=60)
    assert program.returncode == 0, said
    assert "rank 0 has one" in said and "rank 0 has two" in said
