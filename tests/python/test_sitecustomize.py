"""The start of Python under `rankscope exec`."""
import os
import subprocess
import sys

from programs import needs

from conftest import ROOT

SITE = ROOT / "lessons" / "python" / "site"


def python(code, active=True, path=()):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RANKSCOPE")}
    environment["PYTHONPATH"] = os.pathsep.join([str(SITE), str(SITE.parent), *map(str, path)])
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    if active:
        environment["RANKSCOPE_EXEC"] = "nowhere"
    done = subprocess.run([sys.executable, "-c", code], env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout.strip()


def test_nothing_is_loaded_at_the_start():
    code = "import sys; print([m for m in ('torch', 'ctypes', 'numpy', 'rankscope', 'typing') if m in sys.modules])"
    assert python(code) == "[]"


def test_another_sitecustomize_runs_as_well(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('the other one')")
    assert python("", path=[tmp_path]) == "the other one"
    assert python("", active=False, path=[tmp_path]) == "the other one"


def test_a_folder_that_is_on_the_path_twice_runs_once(tmp_path):
    (tmp_path / "link").symlink_to(SITE)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "sitecustomize.py").write_text((SITE / "sitecustomize.py").read_text())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "sitecustomize.py").write_text("print('the other one')")
    path = [tmp_path / "link", SITE, tmp_path / "copy", tmp_path / "other"]
    code = "import sys; print(len([f for f in sys.meta_path if getattr(f, '__name__', '') == '_AfterImport']))"
    assert python(code, path=path) == "the other one\n1"


def test_only_under_exec_gloo_is_ours():
    needs("torch")
    code = "import torch.distributed as d, torch.distributed.distributed_c10d as c\n" \
           "print(d.ProcessGroupGloo.__module__, c.ProcessGroupGloo.__module__, d.send.__module__)"
    assert python(code) == "rankscope.torch_dist.groups rankscope.torch_dist.groups torch.distributed.distributed_c10d"
    assert "rankscope" not in python(code, active=False)


def test_every_public_name_of_torch_distributed_remains():
    needs("torch")
    code = "import torch.distributed as d; print(sorted(n for n in dir(d) if not n.startswith('__')))"
    without = set(eval(python(code, active=False)))
    assert without - set(eval(python(code))) == set()


def test_programs_without_torch_know_nothing_of_it():
    code = "import json, multiprocessing, sys; print('rankscope._native' in sys.modules, 'torch' in sys.modules)"
    assert python(code) == "False False"


def test_the_error_of_a_multiprocessing_child_is_told_to_who_leaves():
    code = """
import multiprocessing, sys
from rankscope import _process
def work():
    _process.register(lambda ok, error: print('left', ok, error, flush=True))
    if len(sys.argv) == 1:
        raise KeyError('lost')
process = multiprocessing.get_context('fork').Process(target=work)
sys.stderr = sys.stdout
process.start(); process.join()
print('code', process.exitcode)
"""
    output = python(code)
    assert "left False KeyError: 'lost' (<string>:7 in work)" in output
    assert output.endswith("code 1")


def test_a_program_that_ends_well_leaves_well():
    code = "from rankscope import _process\n_process.register(lambda ok, error: print('left', ok, error))"
    assert python(code) == "left True None"


def test_an_uncaught_error_is_told_once():
    code = "from rankscope import _process\n_process.register(lambda ok, error: print('left', ok, error))\n1 / 0"
    output = python(code)
    assert output.count("left") == 1
    assert "left False ZeroDivisionError: division by zero (<string>:3 in <module>)" in output


def test_a_fork_leaves_nothing_of_its_parents():
    code = """
import os
from rankscope import _process
_process.register(lambda ok, error: print('left', os.getpid() == parent, flush=True))
parent = os.getpid()
child = os.fork()
if child == 0:
    _process.leave_all()
    os._exit(0)
os.waitpid(child, 0)
"""
    assert python(code) == "left True"
