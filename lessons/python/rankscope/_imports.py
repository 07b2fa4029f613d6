"""Lists a program's imports, and which of them this interpreter lacks: `python3 _imports.py FILE` prints one JSON object.

`rankscope exec` asks before it starts ranks, which is quick because nothing is imported. Only imports that run in any
case count: those at the top of the program, outside of `try` and `if`. This file is run by its path, so that the
package and its library are not loaded.

"loads" are the modules that one process can load for all copies of the program (site/_stem.py): those that take long, and
before which the program does nothing that such a module could see."""

import ast
import importlib.util
import json
import os
import sys
from importlib import metadata

import _cells

_kPlatforms = ("torch", "mpi4py", "ray")
_kSlow = ("torch", "numpy")
_kIndifferent = ("mpi4py", "rankscope")  # to what was loaded before them
_kDeclarations = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _sources(path):
    if not path.endswith(".ipynb"):
        with open(path, "rb") as file:
            return [_cells.utf8(file.read())]
    return [_cells.without_magics(cell, path, lambda line, text: None) for cell in _cells.code_cells(path)
            if not cell.lstrip().startswith("%%writefile")]


def imported(path):
    """The names of the modules, without their submodules, in the order of the text. What cannot be parsed is left out."""
    names = {}
    for source in _sources(path):
        try:
            statements = ast.parse(source).body
        except (SyntaxError, ValueError):
            continue
        for statement in statements:
            if isinstance(statement, ast.Import):
                names.update((one.name.split(".")[0], None) for one in statement.names)
            elif isinstance(statement, ast.ImportFrom) and statement.level == 0:
                names[statement.module.split(".")[0]] = None
    return list(names)


class _Loads:
    """The slow modules that a program, with the modules of its own folder, loads before it does anything else."""

    def __init__(self, path):
        self.folder, self.seen, self.found = os.path.dirname(os.path.abspath(path)), set(), {}
        self.orders_by_hash = False
        self.read(path)

    def names(self):
        return [] if self.orders_by_hash and os.environ.get("PYTHONHASHSEED", "random") == "random" else list(self.found)

    def read(self, path):
        """Returns whether nothing in the file but imports and declarations runs."""
        self.seen.add(path)
        try:
            trees = [ast.parse(source) for source in _sources(path)]
        except (OSError, SyntaxError, ValueError):
            return False
        # Forked processes put a set's elements in one order; processes that are started, each in its own.
        self.orders_by_hash |= any(isinstance(node, (ast.Set, ast.SetComp)) or isinstance(node, ast.Name) and
                                   node.id in ("set", "frozenset", "hash") for tree in trees for node in ast.walk(tree))
        return all(self.goes_on_after(statement) for tree in trees for statement in tree.body)

    def goes_on_after(self, statement):
        if isinstance(statement, ast.Import):
            return all(self.imports(one.name) for one in statement.names)
        if isinstance(statement, ast.ImportFrom):
            return statement.level == 0 and self.imports(statement.module)
        if isinstance(statement, ast.Assign) and not all(isinstance(one, ast.Name) for one in statement.targets):
            return False
        return (isinstance(statement, _kDeclarations) and not statement.decorator_list or
                isinstance(statement, (ast.Assign, ast.Expr)) and isinstance(statement.value, ast.Constant))

    def imports(self, module):
        name = module.partition(".")[0]
        own = os.path.join(self.folder, name + ".py")
        if own in self.seen:
            return True
        if os.path.exists(own):
            return self.read(own)
        if name in _kSlow:
            self.found[name] = None
        return name in _kSlow + _kIndifferent or name in getattr(sys, "stdlib_module_names", ())  # Python 3.10


def _found(name, stand_ins):
    real = name == "ray" and os.environ.get("RANKSCOPE_RAY") == "real"
    try:
        if real:
            sys.path.remove(stand_ins)
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    finally:
        if real:
            sys.path.insert(0, stand_ins)


def _version(name):
    try:
        return metadata.version(name).split("+")[0]
    except metadata.PackageNotFoundError:
        return ""


def main(path):
    package = os.path.dirname(os.path.abspath(__file__))
    python = os.path.dirname(package)
    stand_ins = os.path.join(python, "site")
    sys.path[0:1] = [stand_ins, os.path.dirname(os.path.abspath(path)), python]
    versions, missing = {}, []
    for name in imported(path):
        spec = _found(name, stand_ins)
        if spec is None:
            missing.append(name)
        elif name in _kPlatforms and not (spec.origin or "").startswith(stand_ins + os.sep):
            versions[name] = _version(name)
    print(json.dumps({"python": sys.version.split()[0], "versions": versions, "missing": missing,
                      "loads": _Loads(path).names()}))


if __name__ == "__main__":
    main(sys.argv[1])
