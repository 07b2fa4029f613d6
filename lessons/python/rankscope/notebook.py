"""Runs a notebook's code cells one after another: `python3 -m rankscope.notebook FILE`.

`rankscope exec notebook.ipynb` calls this. Cells share one namespace, `__main__`, so that classes and functions of
cells can be used by Ray's actors and by forked processes. Lines are those of "notebook.ipynb [cell 7]"."""

import argparse
import ast
import asyncio
import builtins
import inspect
import json
import linecache
import multiprocessing
import os
import sys
import types

from . import _process, _tracebacks

_kRun = ("time", "timeit", "capture", "prun", "memray_flamegraph")  # cell magics whose body is a cell's code


class NotebookError(Exception):
    """The file is not a notebook."""


def code_cells(path):
    """The sources of a notebook's code cells."""
    try:
        with open(path, encoding="utf-8") as file:
            book = json.load(file)
    except (UnicodeDecodeError, ValueError) as error:
        raise NotebookError(f"{path} is no notebook: {error}. Save it as .ipynb in Jupyter.") from None
    cells = book.get("cells") if isinstance(book, dict) else None
    if cells is None and isinstance(book, dict) and "worksheets" in book:  # format 3
        cells = [cell for sheet in book["worksheets"] for cell in sheet.get("cells", ())]
    if not isinstance(cells, list):
        raise NotebookError(f"{path} is no notebook: it has no list of cells. Save it as .ipynb in Jupyter.")
    found = []
    for cell in cells:
        if cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            found.append(source if isinstance(source, str) else "".join(source))
    return found


# ---- lines that only Jupyter understands ----


def without_magics(source, name, note):
    """The cell as plain Python with the same lines. `note(line, text)` hears of each line that is left out."""
    first = source.lstrip().split("\n", 1)[0]
    if first.startswith("%%"):
        words = first[2:].split()
        if words and words[0] == "writefile":
            return _write_file(words[1:], source.lstrip(), note)
        if not words or words[0] not in _kRun:
            note(1, f"the cell is left out: {first.strip()}")
            return ""
        note(1, f"left out: {first.strip()}")
        source = source.replace(first, "", 1)
    return _without_line_magics(source, name, note)


def _write_file(words, source, note):
    append = "-a" in words or "--append" in words
    names = [word for word in words if not word.startswith("-")]
    body = source.split("\n", 1)[1] if "\n" in source else ""
    with open(names[0], "a" if append else "w", encoding="utf-8") as file:
        file.write(body if body.endswith("\n") else body + "\n")
    note(1, f"{'appended to' if append else 'wrote'} {names[0]}")
    return ""


def _without_line_magics(source, name, note):
    """Removes magics only where Python fails to parse: `%` and `!` also begin lines of strings and expressions."""
    lines = source.split("\n")
    for _ in range(len(lines)):
        try:
            ast.parse("\n".join(lines), name)
            break
        except SyntaxError as error:
            at = _stumbled(lines, error.lineno or 1)
            if at is None:
                break
            note(at + 1, f"left out: {lines[at].strip()}")
            indent = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
            variable, sign, _ = lines[at].partition("=")
            assigned = sign and variable.strip().isidentifier()
            end = at
            while lines[end].rstrip().endswith("\\") and end + 1 < len(lines):
                end += 1
                lines[end] = ""
            lines[at] = f"{indent}{variable.strip()} = None" if assigned else f"{indent}pass"
    return "\n".join(lines)


def _stumbled(lines, line):
    """The line of the magic, which Python may notice only at the next line."""
    for at in (line - 1, line - 2):
        if 0 <= at < len(lines) and _is_magic(lines[at]):
            return at
    return next((at for at in range(len(lines)) if _is_magic(lines[at])), None)


def _is_magic(line):
    text = line.strip()
    if text.startswith(("%", "!", "?")) or (text.endswith("?") and not text.startswith("#")):
        return True
    variable, sign, value = text.partition("=")
    return bool(sign) and variable.strip().isidentifier() and value.strip().startswith(("%", "!"))


# ---- running ----


class Notebook:
    """The namespace of the cells, and what is kept between them."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        self.module = types.ModuleType("__main__")
        self.space = vars(self.module)
        self.space.update(__builtins__=builtins, display=_display, In=[""], Out={})
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
        plain = without_magics(source, name, lambda line, text: print(f"[cell {number}, line {line}] {text}"))
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

    def _execute(self, code):
        self.flags |= code.co_flags & _kFutures
        if not code.co_flags & inspect.CO_COROUTINE:
            return eval(code, self.space)
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
        return self.loop.run_until_complete(eval(code, self.space))


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
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(prog="rankscope exec", description="Runs a notebook's code cells in order.")
    parser.add_argument("--keep-going", action="store_true", help="run the cells after one that failed, too")
    parser.add_argument("notebook")
    options = parser.parse_args()
    try:
        code = run(options.notebook, options.keep_going)
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
