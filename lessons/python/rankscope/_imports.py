"""What a program imports, and what of it this interpreter has: `python3 _imports.py FILE` prints one JSON object.

`rankscope exec` asks before it starts ranks, which is quick because nothing is imported. Only imports that run in any
case count: those at the top of the program, outside of `try` and `if`. This file is run by its path, so that the
package and its library are not loaded."""

import ast
import importlib.util
import json
import os
import sys
from importlib import metadata

import _cells

_kPlatforms = ("torch", "mpi4py", "ray")


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
    print(json.dumps({"python": sys.version.split()[0], "versions": versions, "missing": missing}))


if __name__ == "__main__":
    main(sys.argv[1])
