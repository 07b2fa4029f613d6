"""Runs a notebook's code cells one after another: `python3 -m rankscope.notebook FILE`.

`rankscope exec notebook.ipynb` calls this. Cells share one namespace, `__main__`, so that classes and functions of
cells can be used by Ray's actors and by forked processes. Lines are those of "notebook.ipynb [cell 7]"."""

import argparse
import ast
import asyncio
import builtins
import inspect
import itertools
import linecache
import multiprocessing
import os
import re
import runpy
import shlex
import subprocess
import sys
import time
import types

from . import _process, _tracebacks
from ._cells import NotebookError, code_cells, without_magics


class Notebook:
    """The namespace of the cells, and the state kept between them."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        self.module = types.ModuleType("__main__")
        self.space = vars(self.module)
        self.space.update(__builtins__=builtins, display=_display, In=[""], Out={}, __rankscope_shell__=self.shell,
                          __rankscope_run__=self.run_file)
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.loop = None

    def install(self):
        """Becomes the program: what pickle and multiprocessing take for __main__."""
        sys.modules["__rankscope_notebook__"] = sys.modules["__main__"]
        sys.modules["__main__"] = self.module
        sys.argv = [self.path]
        folder = os.path.dirname(os.path.abspath(self.path))
        os.environ.setdefault("RANKSCOPE_START_FOLDER", os.getcwd())
        os.environ.setdefault("MPLBACKEND", "Agg")
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # OpenMP's threads do not survive a fork
        os.chdir(folder)  # as Jupyter does
        sys.path[0] = folder
        multiprocessing.context.BaseContext.get_context = _forking(multiprocessing.context.BaseContext.get_context)
        multiprocessing.context.DefaultContext.get_context = _forking(
            multiprocessing.context.DefaultContext.get_context)

    def run_cell(self, number, source):
        """Runs a cell and raises its error."""
        name = f"{self.name} [cell {number}]"
        plain = without_magics(source, name, lambda line, text: print(f"[cell {number}, line {line}] {text}"),
                               _shell_statement)
        linecache.cache[name] = (len(source), None, [line + "\n" for line in source.split("\n")], name)
        self.space["In"].append(source)
        tree = ast.parse(plain, name)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not plain.rstrip().endswith(";"):
            last = ast.Expression(tree.body.pop().value)
        self._execute(compile(tree, name, "exec", self.flags, True))
        if last is not None:
            value = self._execute(compile(last, name, "eval", self.flags, True))
            if value is not None:
                self.space["_"] = self.space["Out"][number] = value
                print(repr(value))

    def shell(self, command, is_cell):
        """Runs a command whose processes may become ranks. As in Jupyter only a cell of the shell raises its failure, and
        {name} and $name are variables of the notebook."""
        if not is_cell:
            command = re.sub(r"\{(\w+)\}|\$(\w+)",
                             lambda m: str(self.space.get(m[1] or m[2], m[0])), command)
        sys.stdout.flush()
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
        code = subprocess.call(["bash" if is_cell else "sh", "-c", command], env={**os.environ, "PATH": path})
        if code and is_cell:
            raise RuntimeError(f"the cell's commands ended with exit code {code}")

    def run_file(self, text):
        """%run: runs a script as __main__, or a notebook's cells, and keeps what they define."""
        options = list(itertools.takewhile(lambda word: word.startswith("-"), shlex.split(text)))
        name, *arguments = shlex.split(text)[len(options):]
        if not os.path.exists(name) and os.path.exists(name + ".py"):
            name += ".py"
        kept = self.name, sys.argv
        try:
            if name.endswith(".ipynb"):
                self.name = os.path.basename(name)
                for number, source in enumerate(code_cells(name), 1):
                    self.run_cell(number, source)
                return
            sys.argv = [name, *arguments]
            given = {key: value for key, value in self.space.items() if not key.startswith("__")}
            made = runpy.run_path(name, given if "-i" in options else None,
                                  os.path.splitext(os.path.basename(name))[0] if "-n" in options else "__main__")
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{name} ended with exit code {end.code}") from None
        else:
            self.space.update((key, value) for key, value in made.items() if not key.startswith("__"))
        finally:
            self.name, sys.argv = kept

    def _execute(self, code):
        self.flags |= code.co_flags & _kFutures
        if not code.co_flags & inspect.CO_COROUTINE:
            return eval(code, self.space)
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
        return self.loop.run_until_complete(eval(code, self.space))


# Commands that may start ranks; others (pip, ls, wget ...) prepare Jupyter's machine and are left out.
_kStartsRanks = re.compile(r"(^|[;&|]\s*)(\w+=\S+\s+)*(torchrun|accelerate|pytest|python3?(\.\d+)?)\s")
_kLauncher = re.compile(r"(?<![\w/.-])(mpirun|mpiexec|orterun|srun)(?=\s)")
_kProgram = re.compile(r"\S*python3?(\.\d+)?$|\S+\.py$")
_left_out = []  # commands with launchers that were not run


def _with_copies(command):
    """The command with `mpirun -n 4 python3 x.py` as a start of copies that become ranks; None where what the launcher
    starts is no Python."""
    launcher = _kLauncher.search(command)
    while launcher:
        words = list(re.finditer(r"\S+", command[launcher.end():]))
        at = next((i for i, word in enumerate(words) if _kProgram.match(word[0])), None)
        if at is None or any(re.search(r"[;&|]", word[0]) for word in words[:at]):
            return None
        counts = [after[0] for word, after in zip(words[:at], words[1:at]) if word[0] in ("-n", "-np", "--np", "-c", "--ntasks")]
        joined = next((word[0].partition("=")[2] for word in words[:at] if re.match(r"--?(n|np|ntasks)=", word[0])), "")
        program = ("python3 " if words[at][0].endswith(".py") else "") + command[launcher.end() + words[at].start():]
        command = (f"{command[:launcher.start()]}{shlex.quote(sys.executable)} -m rankscope.notebook --copies"
                   f" {joined or (counts or ['1'])[0]} {program}")
        launcher = _kLauncher.search(command)
    return command


def _shell_statement(command, is_cell):
    if command.startswith("%run "):
        return f"__rankscope_run__({command[len('%run '):]!r})"
    if _kLauncher.search(command):
        copied = _with_copies(command)
        if copied is None:
            _left_out.append(command)
            print(f"rankscope: {_kLauncher.search(command)[1]} would start processes that are no ranks of one run. Run"
                  " the file that it names with rankscope exec -n.", file=sys.stderr)
            return None
        return f"__rankscope_shell__({copied!r}, {is_cell})"
    starts = any(_kStartsRanks.search(line.strip()) for line in command.split("\n"))
    return f"__rankscope_shell__({command!r}, {is_cell})" if starts and "-m pip" not in command else None


def run_copies(count, words):
    """Runs copies of a program that become ranks, as mpirun does, and returns an exit code: when one fails, the others get
    a little time and are ended."""
    place = {"WORLD_SIZE": str(count), "LOCAL_WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
    running = [subprocess.Popen(words, env={**os.environ, **place, "RANK": str(rank), "LOCAL_RANK": str(rank)})
               for rank in range(count)]
    code, limit = 0, None
    while running:
        for process in list(running):
            try:
                ended = process.wait(0.02)
            except subprocess.TimeoutExpired:
                continue
            running.remove(process)
            code = code or ended
        if code and limit is None:
            limit = time.monotonic() + 5
        if limit is not None and time.monotonic() > limit:
            for process in running:
                process.terminate()
    return code if code >= 0 else 128 - code


def _futures():
    import __future__
    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


_kFutures = _futures()


def _display(*things, **_):
    for thing in things:
        print(repr(thing))


def _forking(get_context):
    """A spawned process cannot find the functions of cells; a forked one has them."""
    told = []

    def forked(self, method=None):
        if method in ("spawn", "forkserver"):
            if not told:
                told.append(True)
                print(f"rankscope: processes are forked, not started by {method}, so that they have the functions of"
                      " cells. In Jupyter this needs a file with the function, or start_method=\"fork\".",
                      file=sys.stderr)
            method = "fork"
        return get_context(self, method)

    return forked


def run(path, keep_going=False):
    """Runs all cells and returns the exit code."""
    try:
        cells = code_cells(path)
    except (OSError, NotebookError) as error:
        print(f"rankscope: {error}", file=sys.stderr)
        return 2
    notebook = Notebook(path)
    notebook.install()
    failed = []
    for number, source in enumerate(cells, 1):
        if not source.strip():
            continue
        print(f"--- cell {number} of {len(cells)} ---", flush=True)
        try:
            notebook.run_cell(number, source)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            sys.stdout.flush()
            print(_tracebacks.formatted(error), end="", file=sys.stderr)
            failed.append(number)
            if not keep_going:
                _process.fail(error)
                print(f"rankscope: cell {number} failed, so the cells after it were not run (--keep-going runs"
                      " them).", file=sys.stderr)
                return 1
        sys.stdout.flush()
    if failed:
        print(f"rankscope: cells that failed: {', '.join(map(str, failed))}", file=sys.stderr)
    if _left_out and not failed:
        print("rankscope: commands of the notebook that start ranks were left out: " + "; ".join(_left_out),
              file=sys.stderr)
    return 1 if failed else 2 if _left_out else 0


def main():
    parser = argparse.ArgumentParser(prog="rankscope exec", description="Runs a notebook's code cells in order.")
    parser.add_argument("--keep-going", action="store_true", help="run the cells after one that failed, too")
    parser.add_argument("notebook")
    if sys.argv[1:2] == ["--copies"]:
        sys.exit(run_copies(int(sys.argv[2]), sys.argv[3:]))
    options = parser.parse_args()
    try:
        code = run(options.notebook, options.keep_going)
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
