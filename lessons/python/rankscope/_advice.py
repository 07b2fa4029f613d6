"""Says what repairs an error that ended a rank, where the program's text and its variables show more than the error."""
import ast
import builtins
import difflib
import inspect
import math
import os
import re
import sys

from . import _memory, _notes, _places, _raised, _results, _syntax
from ._syntax import BOUND, argument, called, given, name_of, names_in

_FLOAT = re.compile(r"'float' object cannot be interpreted|slice indices must be integers|only integers, slices|"
                    r"of type '?float|single integer, got '\d+\.|'numpy\.float\d*' object cannot be interpreted|"
                    r"indices must be integers or slices, not float|must be (real )?int\w*, not float|"
                    r"a rank is an integer, not")
_RANK = re.compile(r"\b(rank|my_?rank|me|myid|my_id|proc_?id|pid|taskid|world_rank|global_rank|Get_rank|get_rank)\b", re.I)
_SIZE = re.compile(r"\b(size|world_?size|nprocs?|num_?procs?|n_?ranks|Get_size|get_world_size|numtasks)\b", re.I)
_BUFFERS = {"obj", "data", "sendobj", "message", "msg", "buffer", "object"}  # names of older releases, and of other calls
_CHECK = re.compile(r"(^|/)tests?/|(^|/)(test_[^/]*|[^/]*_test)\.py$")


def note(error):
    """Notes for the run's report what is known of an error beyond its words."""
    if not _notes._folder or (_notes.rank() is None and not hasattr(error, "lacks")):
        return
    try:
        found = _known(error)
    except Exception:  # a program's objects may do anything when they are looked at
        return
    if found is not None:
        why, advice, place = found
        lacks = getattr(error, "lacks", "")
        _notes.write({"kind": "advice", "file": _places.shown_file(place[0]), "line": place[1], "what": lacks, "why": why,
                      "advice": advice, "lacks": bool(lacks)})


def left(place, finalized=False):
    """Notes that a rank leaves before the end of the program: after an exception that it caught, or by exit()."""
    error = sys.exc_info()[1]
    if isinstance(error, SystemExit) or place is None or not _notes._folder or _notes._joined is None or (
            error is None and finalized):
        return
    if getattr(error, "lacks", ""):
        return note(error)
    where = f"{os.path.basename(place[0])}:{place[1]}"
    caught = _after(error)
    _notes.write({"kind": "advice", "file": place[0], "line": place[1], "why": "", "what": f"it left at {where}{caught}",
                  "advice": "A rank that gives up has to end the others, too: call comm.Abort(1) there (with torch, let the "
                            "exception end the rank), and mend what raised it." if caught else
                            "Let all ranks leave there: decide it by what all of them know, or bring it to them with "
                            "comm.bcast. Or call comm.Abort(1) there, which ends all of them."})


def _after(error):
    return "" if error is None else ", after it had caught " + \
        f"{type(error).__name__}: {error}".strip().rstrip(":").splitlines()[0][:120]


def caught():
    """Notes the error that a rank which gives up has caught. Returns its words and its place for the report; empty without
    one."""
    error = sys.exc_info()[1]
    if error is None or isinstance(error, SystemExit):
        return ""
    note(error)
    place = _places.of_traceback(error.__traceback__)
    return _after(error) + (f" ({os.path.basename(place[0])}:{place[1]})" if place else "")


def watch_exits():
    """Has left() look at each exit() of the program."""
    for scope, name in ((sys, "exit"), (builtins, "exit"), (builtins, "quit")):
        real = getattr(scope, name, None)
        if real is not None:
            setattr(scope, name, _exit(real))


def _exit(real):
    def exit(*code):
        left(_places.innermost())
        return real(*code)
    return exit


def _known(error):
    if isinstance(error, SystemExit) and error.__context__ is not None:
        error = error.__context__  # torch.multiprocessing.spawn exits with 1
    frame, line = _places.frame_of_traceback(error.__traceback__)
    place = (frame.f_code.co_filename, line) if frame is not None else ("", 0)
    if getattr(error, "lacks", ""):
        return "The real library may well have it, and the program may be right.", error.nearest, place
    if isinstance(error, SyntaxError) and error.filename:
        return _raised.syntax(error, frame, line)
    text = (_syntax.text_of(frame.f_code) or _syntax.text_around(frame.f_code)) if frame is not None else None
    if text is None:
        return None
    statement = _innermost(text, line)
    words = str(error)
    for rule in (_whole_for_part, _root_argument, _one_rank_for_all, _fixed_size, _null, _left_out, _float, _nothing, _undefined,
                 _refused, _check, _zero, _mistaken, _arguments, _missing, _parts):
        found = rule(error, words, frame, text, statement, line)
        if found is not None:
            return (*found, place)
    found = _raised.explain(error, words, frame, text, statement, line)
    return (*found, place) if found is not None else None


def _innermost(text, line):
    found = None
    for node in ast.walk(text.node):
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno and (
                found is None or node.lineno >= found.lineno):
            found = node
    return found


def _head(statement):
    """The part of a statement that runs at its own line: a loop's or a condition's head."""
    return getattr(statement, "iter", None) or getattr(statement, "test", None) or statement


def _value(frame, name):
    return frame.f_locals.get(name, frame.f_globals.get(name, _value))


def _holds(frame, test):
    """Returns whether a condition of names and constants holds in a frame; None where it has more in it."""
    plain = (ast.expr_context, ast.Name, ast.Constant, ast.Compare, ast.cmpop, ast.BoolOp, ast.boolop, ast.BinOp, ast.operator,
             ast.UnaryOp, ast.unaryop)
    if not all(isinstance(one, plain) for one in ast.walk(test)) or any(
            not isinstance(_value(frame, name), int) for name in names_in(test)):
        return None
    return bool(eval(compile(ast.Expression(test), "<condition>", "eval"), frame.f_globals, frame.f_locals))


def _divides(node):
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) for one in ast.walk(node))


def _division_of(tree, name, deep=3):
    """The line of the division from which a variable, or a parameter, has its value; 0 where there is none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and name in [one for target in node.targets for one in names_in(target)]:
            if _divides(node.value):
                return node.lineno
            if called(node.value) in ("recv", "bcast", "scatter"):  # what others have sent
                for call in ast.walk(tree) if deep else ():
                    if called(call) in _syntax.SENDS | {"bcast"} and call.args:
                        for other in names_in(call.args[0]):
                            if other != name and (line := _division_of(tree, other, deep - 1)):
                                return line
            for other in names_in(node.value) if deep else ():
                if other != name and (line := _division_of(tree, other, deep - 1)):
                    return line
    for node in ast.walk(tree) if deep else ():
        if not isinstance(node, ast.FunctionDef) or name not in [one.arg for one in node.args.args]:
            continue
        at = [one.arg for one in node.args.args].index(name)
        for call in ast.walk(tree):
            if called(call) == node.name and at < len(call.args):
                if _divides(call.args[at]):
                    return call.lineno
                for other in names_in(call.args[at]):
                    if line := _division_of(tree, other, deep - 1):
                        return line
    return 0


def _float(error, words, frame, text, statement, line):
    if not isinstance(error, (TypeError, IndexError)) or not _FLOAT.search(words):
        return None
    if _divides(_head(statement)):
        return "The operator / gives a float, also where nothing is left over.", \
            f"Write // in line {line}, which divides integers."
    for name in names_in(_head(statement)):
        if isinstance(_value(frame, name), float) and (at := _division_of(text.tree, name)):
            others = {node.lineno for node, value in given(text.tree, name) if _divides(value)} - {at}
            also = "".join(f" and in line {other}" for other in sorted(others))
            return f"{name} is {_value(frame, name)}, a float: the division in line {at} gives one, also where nothing is " \
                   "left over.", f"Write // in line {at}{also}, which divides integers."
    return None


def _root_argument(error, words, frame, text, statement, line):
    """An argument that only the root's call needs, and that cannot be made on another rank."""
    for call in text.calls(line, {"scatter", "bcast"}) if _notes._joined is not None and not _places.is_own_error(error) else ():
        root, made = argument(call, "root", 1), call.args[0] if call.args else None
        rank = 0 if root is None else _syntax.evaluated(frame, root)
        if made is None or isinstance(made, ast.Name) or rank == _notes.rank() or not isinstance(rank, int):
            continue
        raised = _raised.expression(error, frame, text)
        if raised is None or raised not in ast.walk(made):
            continue
        names = [name for name in names_in(raised) if _value(frame, name) is None or isinstance(error, NameError) and
                 _value(frame, name) is _value and _under_condition(frame, text.tree, name)]
        if names:
            reason = next((f"{name} is None on this rank; t" for name in names if _value(frame, name) is None), "T")
            mine = [name for name in [*frame.f_locals, *frame.f_globals]
                    if _RANK.fullmatch(name) and _value(frame, name) == _notes.rank()]
            return f"{reason}he argument is made on all ranks, though only the root's counts.", \
                f"Give {ast.unparse(made)} if {[*mine, 'comm.rank'][0]} == {rank} else None."
    return None


def _whole_for_part(error, words, frame, text, statement, line):
    """A whole array that is used where this rank's part of it, which a scatter has brought, is meant."""
    if not re.search("NoneType|message truncated|expecting 1 to 4 items|None is no buffer", words):
        return None
    names, chain, at = [(name, line) for name in names_in(_head(statement))], {}, line
    for name, at in names:
        if name not in chain and len(chain) < 8:
            chain[name] = at
            names += [(other, node.lineno) for node, value in given(text.node, name) if node.lineno < at
                      for other in names_in(value)]
    for call in ast.walk(text.tree):
        if called(call) not in ("Scatter", "Scatterv", "scatter") or not call.args or call.lineno >= line:
            continue
        whole = (names_in(call.args[0]) or [""])[0]
        target = _syntax.target_of(text.statement(call)) if called(call) == "scatter" and call in text.parents else None
        part = name_of(target) if target is not None else (names_in(call.args[1]) if len(call.args) > 1 else [""])[-1]
        uses = [node for node in _syntax.variables(text.node, whole, ast.Load) if call.end_lineno < node.lineno <= line]
        if whole in chain and part and part != whole and part not in chain and uses and chain[whole] > call.lineno:
            return f"{whole} is all ranks' data, and on the root alone; line {chain[whole]} takes it, though this rank's part is " \
                f"{part} ({called(call)} in line {call.lineno}).", f"Write {part} for {whole} in line {chain[whole]}."
    return None


def _nothing(error, words, frame, text, statement, line):
    if "NoneType" not in words:
        return None
    raised = _raised.expression(error, frame, text) or _head(statement)
    empty = [name for name in dict.fromkeys(names_in(raised)) if _value(frame, name) is None]
    if not empty:
        return None
    name = empty[0]
    tree = text.tree
    return _root_only(frame, tree, name) or _results.overwritten_branch(tree, name, _notes.rank(), line) or \
        _never_given(frame, tree, name, line) or _wrong_root(frame, tree, name, line) or _elsewhere(frame, tree, name)


def _root_only(frame, tree, name):
    """A variable that is None because the root alone has what a call returns."""
    for node, value in given(tree, name):
        verb, owner = called(value), getattr(getattr(value, "func", None), "value", None)
        if verb in ("gather", "reduce") and owner is not None and not inspect.ismodule(_syntax.evaluated(frame, owner)):
            root = argument(value, "root", 1 if verb == "gather" else 2)
            return f"{name} is None on this rank: {verb} in line {node.lineno} returns the result on its root only.", \
                f"Use {name} on the root only (if rank == {ast.unparse(root) if root is not None else 0}:), or call all{verb}."
    return None


def _never_given(frame, tree, name, line, deep=2):
    """A variable that is None because a function of the program returns nothing."""
    before = [(node.lineno, value) for node, value in given(tree, name) if node.lineno <= line]
    at, value = max(before, default=(0, None), key=lambda one: one[0])
    if isinstance(value, ast.Name) and deep:
        return _never_given(frame, tree, value.id, at, deep - 1)
    function = _syntax.evaluated(frame, value.func) if isinstance(value, ast.Call) else None
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    for node in ast.walk(tree) if code is not None and code.co_filename == frame.f_code.co_filename else ():
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name and code.co_firstlineno == min(
                [node.lineno, *(one.lineno for one in node.decorator_list)]):
            if any(isinstance(one, (ast.Return, ast.Yield)) for one in ast.walk(node)):
                return None
            last = _syntax.target_of(node.body[-1])
            result = f"return {last.id}" if isinstance(last, ast.Name) else "return and its result"
            return f"{name} is None: {node.name}, which line {at} calls, has no return, so it returns nothing.", \
                f"End {node.name} with {result} (after line {node.end_lineno})."
    return None


def _wrong_root(frame, tree, name, line):
    """A variable that is None because the root of a broadcast had None, while another rank had the data."""
    for node, value in given(tree, name):
        if node.lineno > line or called(value) not in ("bcast", "scatter") or not value.args or \
                name_of(value.args[0]) != name:
            continue
        asked_for = argument(value, "root", 1)
        root = 0 if asked_for is None else _value(frame, asked_for.id) if isinstance(asked_for, ast.Name) else \
            getattr(asked_for, "value", None)
        for branch in ast.walk(tree) if isinstance(root, int) else ():
            asked, rank = _syntax.equation(branch)
            if asked is not None and rank != root and _RANK.search(ast.unparse(asked)):
                for inner, it in given(ast.Module(branch.body, []), name):
                    if not (isinstance(it, ast.Constant) and it.value is None):
                        return f"{name} is None: its {called(value)} in line {node.lineno} sends what rank {root} " \
                            f"has, and only rank {rank} gives it a value (line {inner.lineno}).", \
                            f"Write root={rank} in line {node.lineno}."
    return None


def _elsewhere(frame, tree, name):
    """A variable that is None because it gets a value on other ranks only."""
    at = _under_condition(frame, tree, name)
    return (f"{name} is None on this rank: line {at} gives it a value on other ranks only.",
            f"Use {name} only there, or bring it to all ranks first: {name} = comm.bcast({name}, root=0).") if at else None


def _under_condition(frame, tree, name):
    """The line at which a variable gets a value under a condition that this rank does not meet; 0 where there is none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and _RANK.search(ast.unparse(node.test)):
            met = _holds(frame, node.test)
            for branch in [node.body if met is False else node.orelse] if met is not None else [node.body, node.orelse]:
                for statement in branch:
                    if stores := _syntax.variables(statement, name, ast.Store):
                        return stores[0].lineno
    return 0


def _undefined(error, words, frame, text, statement, line):
    name = getattr(error, "name", None) or (re.search(r"local variable '(\w+)'", words) or [0, ""])[1]
    if not isinstance(error, NameError) or not name:
        return None
    if isinstance(statement, ast.Expr) and name_of(statement.value) == name:
        return f"Line {line} is a name alone, and does nothing.", f"Finish line {line}, or delete it."
    if isinstance(statement, ast.AugAssign) and name_of(statement.target) == name:
        loops = [loop.lineno for loop in text.loops(statement)]
        return f"This line changes {name}, which has no value yet: += and the like read the variable first.", \
            f"Give {name} its first value before line {min([line, *loops])}, as in {name} = 0."
    is_module = any(isinstance(one, ast.Attribute) and name_of(one.value) == name for one in ast.walk(text.tree))
    if is_module and not _syntax.variables(text.tree, name, ast.Store) and (home := _imported(name)):
        return f"{name} is a module that line {line} uses and no line imports.", f"Write {home} at the top of the program."
    at = _under_condition(frame, text.tree, name)
    ran = {one.id: one.lineno for one in ast.walk(text.node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and
           one.id in frame.f_locals and not text.is_read(one.id)} if at else {}
    if close := difflib.get_close_matches(name, list(ran), 1, 0.8):
        return f"{name} gets its value in line {at}, on other ranks; line {ran[close[0]]} gives one to {close[0]}, which no line " \
            "reads.", f"Write {name} for {close[0]} in line {ran[close[0]]}."
    return (f"{name} gets its value in line {at}, under a condition on the rank that does not hold here.",
            f"Give {name} a value on all ranks before line {line}, or use it under the same condition.") if at else None


def _imported(name):
    """The import that a module, or a usual short name of one, needs; empty for other names."""
    usual = {"np": "import numpy as np", "numpy": "import numpy", "MPI": "from mpi4py import MPI", "torch": "import torch",
             "dist": "import torch.distributed as dist", "nn": "import torch.nn as nn", "mp": "import torch.multiprocessing as mp",
             "plt": "import matplotlib.pyplot as plt", "pd": "import pandas as pd"}
    return usual.get(name, f"import {name}" if name in sys.stdlib_module_names else "")


def _left_out(error, words, frame, text, statement, line):
    """A variable that comes from a collective which stands under a condition, so that this rank does not call it."""
    if not isinstance(error, (NameError, TypeError, AttributeError)) or _notes._joined is None:
        return None
    names = set(names_in(_head(statement)))
    for node in ast.walk(text.tree):
        met = _holds(frame, node.test) if isinstance(node, ast.If) and node.lineno <= line and \
            _RANK.search(ast.unparse(node.test)) else None
        if met is None:
            continue
        skipped, taken = (node.orelse, node.body) if met else (node.body, node.orelse)
        made = {called(call) for part in taken for call in ast.walk(part)}
        for one in (inner for part in skipped for inner in ast.walk(part)):
            name = name_of(_syntax.target_of(one)) if isinstance(one, ast.Assign) else ""
            verb, function = (called(one.value), getattr(one.value, "func", None)) if name in names else ("", None)
            if verb not in BOUND - {"recv", "sendrecv"} - made or not isinstance(function, ast.Attribute):
                continue
            if getattr(_syntax.evaluated(frame, function.value), "size", 0) == _notes._joined["size"]:
                return f"{name} is what {verb} in line {one.lineno} returns, and this rank leaves that call out, by the " \
                    f"condition in line {node.lineno}; all ranks have to make it.", \
                    f"Take line {one.lineno} (and the other calls of all ranks there) out of the if and else of line " \
                    f"{node.lineno}."
    return None


def _one_rank_for_all(error, words, frame, text, statement, line):
    """A rank that is a number in the program, so that all processes claim it."""
    for node in ast.walk(text.tree) if "each process needs a rank of its own" in words else ():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and type(node.value.value) is int and \
                _RANK.fullmatch(name_of(node.targets[0])):
            name = name_of(node.targets[0])
            return f"Line {node.lineno} makes {name} {node.value.value} in every process.", \
                f'Write {name} = int(os.environ["RANK"]) in line {node.lineno}.'
    return None


def _fixed_size(error, words, frame, text, statement, line):
    """A number of ranks that the program's text fixes, and that is not the one it was started with."""
    size = _notes._joined["size"] if _notes._joined else 0
    for node in ast.walk(text.tree) if "MPI_ERR_RANK" in words else ():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and type(node.value.value) is int and \
                node.value.value != size > 0 and re.fullmatch(r"size|world_?size|n_?procs?|num_?procs|n_?ranks|n_?tasks", name_of(
                    node.targets[0]), re.I):
            name, value = name_of(node.targets[0]), node.value.value
            return f"Line {node.lineno} fixes {name} at {value}, and the program runs with {size} ranks.", \
                f"Write {name} = comm.Get_size() in line {node.lineno}, or start the program with -n {value}."
    return None


def _null(error, words, frame, text, statement, line):
    """A communicator that this rank is not in."""
    for name in names_in(statement) if "MPI.COMM_NULL" in words else ():
        for node, value in given(text.tree, name):
            verb = called(value)
            if verb in ("Create_cart", "Split", "Create", "Sub") and not _value(frame, name):
                dims = _syntax.evaluated(frame, value.args[0]) if verb == "Create_cart" and value.args else ()
                places = math.prod(dims) if isinstance(dims, (list, tuple)) else dims
                return f"{name} is MPI.COMM_NULL on this rank: {verb} in line {node.lineno} leaves it out" + (
                    f", since the grid has {places} places." if dims else "."), \
                    f"Let only the ranks that are in it go on (if {name} != MPI.COMM_NULL:)" + (
                    f", or start the program with -n {places}." if dims else ".")
    return None


def _arguments(error, words, frame, text, statement, line):
    """Arguments that a call of the library does not take, and objects that an operator cannot combine."""
    if not isinstance(error, TypeError):
        return None
    told = re.search(r"(\w+)\(\) got (multiple values for|an unexpected keyword) argument '(\w+)'", words)
    for call in text.calls(line, {told[1]}) if told else ():
        real = _syntax.evaluated(frame, call.func)
        if real is None or not _places.is_foreign(getattr(real, "__code__", None) or _places.user_frames()[0].f_code):
            return None
        takes = [one for one in inspect.signature(real).parameters if not one.startswith("_")]
        if told[2].startswith("multiple"):
            at = takes.index(told[3])
            return f"{told[1]} takes {', '.join(takes)}, in this order: {ast.unparse(call.args[at])} is its {told[3]} already.", \
                f"Leave {ast.unparse(call.args[at])} out in line {line}."
        other = {"dest": "Send", "dst": "send", "source": "Recv", "src": "recv"}.get(told[3])
        if other and re.search("send|recv", told[1], re.I) and other[1:] != told[1][-len(other) + 1:]:
            other = other if told[1][:1].isupper() else other.lower()
            return f"{told[1]} takes {', '.join(takes)}: a message's {told[3]} is an argument of {other}.", \
                f"Write {other} for {told[1]} in line {line}, if it is rank {ast.unparse(argument(call, told[3]))} that " + (
                    "gets the data." if other.lower() == "send" else "has the data.")
        close = difflib.get_close_matches(told[3], takes, 1, 0.5) or (takes[:1] if told[3] in _BUFFERS else [])
        return f"{told[1]} takes {', '.join(takes)}.", \
            f"Write {close[0] if close else 'one of these names'} for {told[3]} in line {line}" + (
            ", or give it without a name." if close and close[0] == takes[0] else ".")
    operation = re.search(r"can't multiply sequence by non-int|unsupported operand type", words)
    for call in text.calls(line, {"reduce", "allreduce", "scan", "exscan"}) if operation else ():
        operator = argument(call, "op", 1)
        name = name_of(operator) if operator is not None else "SUM"
        sent = _syntax.evaluated(frame, call.args[0]) if call.args and name in ("SUM", "PROD") else None
        sign, kind = "*" if name == "PROD" else "+", type(sent).__name__
        if f"'{kind}' and '{kind}'" in words or f"non-int of type '{kind}'" in words:
            return f"{name} combines the ranks' objects with {sign}, and a {kind} {sign} a {kind} does not exist.", \
                f"Give numbers or arrays: numpy.array({ast.unparse(call.args[0])}) is combined element by element." \
                if isinstance(sent, (tuple, list)) else f"Give {called(call)} numbers or arrays."
    return None


def _zero(error, words, frame, text, statement, line):
    """A division by a variable that stays 0 because what was sent from it is received into another."""
    if not isinstance(error, ZeroDivisionError):
        return None
    for name in names_in(_head(statement)):
        if _value(frame, name) != 0:
            continue
        tags = [_syntax.tag_of(call) for call in _syntax.sends_of(text.tree, name)]
        for node in ast.walk(text.tree) if len(tags) == 1 and tags[0] else ():
            value = getattr(node, "value", None)
            if isinstance(node, ast.Assign) and called(value) == "recv" and _syntax.tag_of(value) == tags[0] and \
                    (other := name_of(node.targets[0])) != name:
                return f"{name} is 0 on this rank: what is sent from it is received as {other} (line {node.lineno}).", \
                    f"Write {name} = {ast.unparse(value)} in line {node.lineno}."
    return None


def _mistaken(error, words, frame, text, statement, line):
    """A request that is taken for its message, and a list for a tensor."""
    if not isinstance(error, TypeError):
        return None
    if "'Request'" in words:
        for node in ast.walk(text.tree):
            if isinstance(node, ast.Return) and node.value is not None and isinstance(node.value, (ast.Name, ast.Tuple)):
                names = [name for name in names_in(node.value) if any(
                    called(value) == "irecv" for _, value in given(text.tree, name))]
                if names:
                    return "irecv returns a request; the message is what its wait() returns.", \
                        f"Write return {', '.join(f'{name}.wait()' for name in names)} in line {node.lineno}."
        return "isend and irecv return a request; the message of an irecv is what its wait() returns.", \
            "Call wait() on what irecv returned, and use what that returns."
    if "can't assign a list to" in words:
        for name in names_in(statement):
            for node, value in given(text.tree, name):
                if isinstance(value, ast.List) and isinstance(_value(frame, name), list):
                    return f"{name} is a list (line {node.lineno}): += appends a tensor's elements to it and adds nothing.", \
                        f"Begin with a tensor in line {node.lineno}, as in {name} = torch.zeros_like(...), or a clone() of the " \
                        "rank's own data."
    return None


def _missing(error, words, frame, text, statement, line):
    """An object or a file that a call needs."""
    if isinstance(error, FileNotFoundError) and error.filename:
        return "", f"Put {error.filename} where the program looks for it" + (
            "" if os.path.isabs(str(error.filename)) else f" (the folder {os.getcwd()})") + ", or correct its path."
    gone = re.search(r"\.([A-Z]\w+)\(\) missing .*'recvbuf'", words)
    if isinstance(error, TypeError) and gone:
        lower = gone[1].lower()
        return f"{gone[1]} takes arrays, one to send and one to receive into; {lower} takes any object and returns the result.", \
            f"Write {lower} in line {line}, or give it an array to receive into."
    return None


def _parts(error, words, frame, text, statement, line):
    """Data that do not fit the number of ranks, or are no list."""
    if rest := re.search(r"(\d+) elements cannot be divided among (\d+) ranks", words):
        fitting = [n for n in range(2, int(rest[1]) + 1) if int(rest[1]) % n == 0]
        return f"Each rank gets an equal part, and {rest[1]} / {rest[2]} leaves a rest.", "Call the form with counts (Scatterv, " \
            "Gatherv), or fill up the array" + (f"; or start the program with -n {fitting[0]}." if fitting else ".")
    if told := re.search(r"expecting (\d+) items, got (\d+)", words):
        call = next(iter(text.calls(line, {"scatter", "alltoall"})), None)
        sent = argument(call, "sendobj", 0)
        sent = getattr(sent, "body", sent)  # of x if rank == 0 else None, what the root gives
        shown = ast.unparse(sent) if sent is not None else "it"
        things = _syntax.evaluated(frame, sent) if sent is not None else None
        if isinstance(things, str):
            return f"{shown} is a text of {told[2]} characters, and each would go to one rank.", \
                f"Give a list with one item for each rank, as {shown}.split() does with {len(things.split())} words."
        if int(told[2]) > int(told[1]) and called(call) == "scatter":
            return f"{shown} has {told[2]} items, and each rank gets one.", \
                f"Divide it into one part for each rank: numpy.array_split({shown}, {told[1]}), or [{shown}[i::{told[1]}] for i " \
                f"in range({told[1]})]; or start the program with -n {told[2]}."
    if "Boolean value of Tensor" in words:
        for call in ast.walk(statement):
            part = argument(call, f"{called(call)}_list", 1) if called(call) in ("scatter", "gather") else None
            if _memory.is_tensor(_value(frame, name_of(part))):
                shown = ast.unparse(part)
                return f"{shown} is one tensor; {called(call)} takes a list with a tensor for each rank, on the root alone.", \
                    f"Pass list({shown}.chunk(dist.get_world_size())) on the root, and None on the others."
    if "setting an array element with a sequence" in words and isinstance(statement, ast.Assign):
        for name in names_in(statement.value):
            if getattr(_value(frame, name), "shape", None) == (1,):
                return f"{name} is an array with one element, and an element of an array takes a number.", \
                    f"Write {name}[0] in line {line}."
    return None


def ranks_named(file):
    """The highest rank that a program's text names, and the ranks that it goes through as partners in a loop over a list."""
    tree = _syntax.tree_of(file)
    found, partners, listed = {0}, set(), set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Compare) and _RANK.search(ast.unparse(node.left)):
            for other in node.comparators:
                found.update(_numbers(other))
        elif isinstance(node, ast.keyword) and node.arg in ("dest", "source", "dst", "src"):
            found.update(_numbers(node.value))
            partners.update(names_in(node.value))
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id in partners:
            listed.update(_numbers(node.iter))
    return max(found | listed), listed


def _numbers(node):
    """The whole numbers of a constant, or of a list of constants."""
    nodes = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]
    return [one.value for one in nodes if isinstance(one, ast.Constant) and type(one.value) is int]


def _refused(error, words, frame, text, statement, line):
    """An error that the program raises itself, because of its number of ranks."""
    tests, last = [], False
    if isinstance(statement, ast.Assert):
        tests = [statement.test]
    elif isinstance(statement, ast.Raise):
        for outer, inner in text.above(statement):  # the conditions of one chain of if, elif, else
            if not isinstance(outer, ast.If) or (tests and inner not in outer.orelse):
                break
            last = last if tests else inner in outer.orelse
            tests.append(outer.test)
    shown = " ".join(ast.unparse(one) for one in tests)
    wanted = [int(one) for one in re.findall(r"(?:==|!=)\s*(\d+)", shown)]
    why = f"The program itself refuses this: {ast.unparse(statement).splitlines()[0][:100]}." if tests else ""
    size = _notes._joined["size"] if _notes._joined else 0
    if _SIZE.search(shown):
        return why, f"Start it with -n {wanted[0]}." if wanted and wanted[0] != size else \
            "Start it with the number of ranks that this condition asks for."
    if last and _RANK.search(shown) and wanted and max(wanted) + 1 < size:
        return why, f"It has work for ranks 0 to {max(wanted)} only: start it with -n {max(wanted) + 1}."
    return None


def _check(error, words, frame, text, statement, line):
    if not isinstance(error, AssertionError):
        return None
    file = frame.f_code.co_filename.replace(os.sep, "/")
    where = f"{os.path.basename(file)}:{line}"
    if _CHECK.search(file):
        return "A test's comparison failed. It is the tested code that is wrong there, not the test's line.", \
            f"Look at what {where} compares, and follow it back to the code that the test calls."
    for name in names_in(statement.test) if isinstance(statement, ast.Assert) and error.__traceback__.tb_frame is frame else ():
        if _value(frame, name) is None and (found := _root_only(frame, text.tree, name)):
            return found
    return f"The program's own check at {where} failed.", \
        f"Look at what the check compares: {ast.unparse(statement).splitlines()[0][:120]}"
