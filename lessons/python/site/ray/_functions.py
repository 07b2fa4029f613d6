"""Functions that pickle cannot name (lambdas, functions within functions) travel by value.

Every process here was forked from the program, so a function's module is there too: only the names that it uses and
that the other process lacks go along."""

import builtins
import importlib
import marshal
import sys
import types

_kPlain = (types.FunctionType, types.ModuleType, int, float, str, bytes, bool, tuple, type(None))


def short_repr(value):
    text = f"of type {type(value).__name__}: {value!r:.60}"
    return text if len(text) < 100 else text[:97] + "..."


def reduce(value):
    """For Pickler.reducer_override."""
    kind = type(value)
    if kind is types.FunctionType and not _has_name(value):
        code = marshal.dumps(value.__code__)
        cells = len(value.__closure__ or ())
        return _make, (code, value.__module__, value.__name__, value.__qualname__, cells), _state(value), None, None, _fill
    if kind is types.ModuleType:
        return importlib.import_module, (value.__name__,)
    return NotImplemented


def _has_name(function):
    # The program's own functions are pickled by value, too: the other process may be older than they are.
    if function.__module__ == "__main__":
        return False
    found = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is function


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _names(code):
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _state(function):
    space = function.__globals__
    used = {name: space[name] for name in _names(function.__code__)
            if name in space and name not in vars(builtins) and isinstance(space[name], _kPlain)}
    return (function.__defaults__, function.__kwdefaults__, [_contents(c) for c in function.__closure__ or ()], used)


def _make(code, module, name, qualname, cells):
    space = vars(sys.modules[module]) if module in sys.modules else {"__builtins__": builtins}
    function = types.FunctionType(marshal.loads(code), space, name, None, tuple(types.CellType() for _ in range(cells)))
    function.__qualname__, function.__module__ = qualname, module
    return function


def _fill(function, state):
    """Fills the function after _make, since it may refer to itself."""
    function.__defaults__, function.__kwdefaults__, contents, used = state
    for cell, value in zip(function.__closure__ or (), contents):
        cell.cell_contents = value
    for name, value in used.items():
        function.__globals__.setdefault(name, value)
