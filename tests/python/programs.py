"""Starts programs as the tests need them: with rankscope's packages first, or as ranks under `rankscope exec`."""

import importlib.util
import os
import re
import subprocess
import sys
import textwrap

import pytest

WAIT_LIMIT = 1000  # seconds that a test waits for anything it expects: a busy machine is no failure

kSource = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
kPackages = os.path.join(kSource, "lessons", "python")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "refused.py"), encoding="utf-8") as _file:
    kRefused = _file.read()  # before programs that use it


def needs(module):
    """Skips where a module is missing. Looks for it without importing it, as torch takes a second to load."""
    if importlib.util.find_spec(module) is None:
        pytest.skip("%s is missing here" % module, allow_module_level=True)


def environment(**extra):
    """That of exec, without a run."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("RANKSCOPE_RAY", "PYTEST_"))}
    kept["PYTHONPATH"] = os.pathsep.join((kPackages, os.path.join(kPackages, "site")))
    return {**kept, **extra}


def write(folder, name, text):
    path = os.path.join(str(folder), name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(text))
    return path


def run(words, folder, **extra):
    """(exit code, standard output, standard error)."""
    variables = environment(**extra)
    if words[1] == "exec":
        del variables["PYTHONPATH"]  # exec sets its own
    done = subprocess.run(words, cwd=str(folder), env=variables, timeout=WAIT_LIMIT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def python(folder, text, **extra):
    return run([sys.executable, write(folder, "program.py", text)], folder, **extra)


def rankscope():
    """The built command; tests that need it are skipped without one, but not in CI."""
    found = os.environ.get("RANKSCOPE_BINARY") or os.path.join(kSource, "build-dev", "bin", "rankscope")
    if os.path.exists(found):
        return found
    if os.environ.get("CI"):
        raise AssertionError("the command `rankscope` is not built (RANKSCOPE_BINARY)")
    pytest.skip("the command `rankscope` is not built (RANKSCOPE_BINARY)")


def under_exec(folder, text, ranks=None, name="program.py", options=(), **extra):
    """A program under `rankscope exec`, with -n when `ranks` is given."""
    path = write(folder, name, text)
    command = [path] if name.endswith(".ipynb") else [sys.executable, path]
    words = [rankscope(), "exec", *(["-n", str(ranks)] if ranks else []), *options, "--", *command]
    return run(words, folder, **extra)


def processes_with(mark):
    """The processes in whose environment `mark` stands."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    text = file.read()
                with open(f"/proc/{entry}/stat") as file:
                    state = re.sub(r".*\) ", "", file.read())[0]
            except OSError:
                continue
            if mark.encode() in text and state != "Z":
                found.append(int(entry))
    return found
