"""Says of errors of Python, NumPy and torch which values in the line raised them, and what should stand there."""
import ast
import builtins
import difflib
import inspect
import io
import os
import re
import sys
import types
from ast import unparse

from . import _memory, _notes, _syntax
from ._place import SIZE, a_kind, explains, is_comm, shown
from ._syntax import FILLS, SENDS, UNKNOWN, argument, called, given, name_of, names_in

_READING = [  # (the pattern of a SyntaxError's words, the advice)
    ("invalid (non-printable )?character",
     "Write plain quotes, hyphens and blanks in line {0}; delete it, if it is no part of the program."),
    ("Missing parentheses in call to 'print'",
     "Write print(...) with brackets in line {0}, and wherever else: the program is written for Python 2."),
    ("expected an indented block", "Indent line {0} and those that belong to it."),
    ("unexpected indent|unindent does not match", "Indent line {0} as the lines of its block."),
    ("inconsistent use of tabs", "Indent line {0} with blanks alone, as the lines around it."),
    ("was never closed|unmatched|does not match opening", "Close each bracket in line {0}, and no more than were opened."),
    ("unterminated", "Close the quotes in line {0}.")]
_MOVED = {"raw_input": "input", "unicode": "str", "long": "int", "unichr": "chr", "basestring": "str"}  # names of Python 2
_BUFFERS = {"obj", "data", "sendobj", "message", "msg", "buffer", "object"}  # names of older releases, and of other calls
_IN_PLACE = {"append": "", "sort": "sorted({})", "extend": "", "reverse": "list(reversed({}))", "insert": "", "update": "",
             "shuffle": "", "remove": ""}


def syntax(error, frame, line):
    """Returns (why, advice, place) for a text that Python cannot read; `frame` is the program's line that had it read, None
    for the started file."""
    at, words, name = error.lineno or 0, error.msg or "", error.filename
    text = error.text or ""
    if frame is not None and name.startswith("<"):
        shown = f": {text.strip()[:60]}" if text.strip() else ""
        return f"Python cannot read the text that this line hands to it{shown}.", \
            f"Correct this text, or the line that makes it, before line {line}.", (frame.f_code.co_filename, line)
    file = f" of {os.path.basename(name)}" if frame is not None else ""
    why = f"Python cannot read line {at}{file}, so no line{' of it' if file else ''} runs."
    advice = next((advice.format(at) for pattern, advice in _READING if re.search(pattern, words)), None)
    rest = text[max(0, (error.offset or 1) - 1):].strip()
    if words == "expected ':'":
        advice = f"Write elif for else if in line {at}." if re.match(r"\s*else\s+if\b", text) else \
            f"Write : at the end of line {at}." if not rest or rest.startswith("#") else \
            f"Write : before {rest[:30]} in line {at}."
    return why, advice or f"Correct line {at}" + (f": {text.strip()[:60]}" if text.strip() else "."), (name, at)


# ---- names ----

@explains(NameError, r"'(\w+)'")
def _no_value(place, told):
    name, tree, function = told[1], place.text.tree, place.text.node
    stores = [one.lineno for one in place.text.stores(name)]
    stored = [one.lineno for one in _syntax.variables(tree, name, ast.Store)]
    if name in _MOVED:
        return f"{name} is a name of Python 2.", f"Write {_MOVED[name]} {place.at}."
    if isinstance(place.statement, ast.Expr) and place.statement.value is place.node:
        return f"Line {place.line} is a name alone, and does nothing.", f"Finish line {place.line}, or delete it."
    if isinstance(place.statement, ast.AugAssign) and name_of(place.statement.target) == name and \
            name not in place.frame.f_globals:
        loops = [loop.lineno for loop in place.text.loops(place.statement)]
        return f"This line changes {name}, which has no value yet: += and the like read the variable first.", \
            f"Give {name} its first value before line {min([place.line, *loops])}, as in {name} = 0."
    is_module = any(isinstance(one, ast.Attribute) and name_of(one.value) == name for one in ast.walk(tree))
    if is_module and not stored and (home := _imported(name)):
        return f"{name} is a module that line {place.line} uses and no line imports.", f"Write {home} at the top of the program."
    if at := place.skipped(name):
        ran = {one.id: one.lineno for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
               and one.id in place.frame.f_locals and not place.text.is_read(one.id)}
        if close := difflib.get_close_matches(name, list(ran), 1, 0.8):
            return f"{name} gets its value in line {at}, on other ranks; line {ran[close[0]]} gives one to {close[0]}, which no " \
                "line reads.", f"Write {name} for {close[0]} in line {ran[close[0]]}."
        return f"{name} gets its value in line {at}, under a condition on the rank that does not hold here.", \
            f"Give {name} a value on all ranks before line {place.line}, or use it under the same condition."
    if isinstance(place.error, UnboundLocalError):
        if name in place.frame.f_globals:
            return f"Line {stores[0] if stores else place.line} gives {name} a value, so it is a variable of {function.name} in " \
                "all of its lines, and has none yet here.", \
                f"Begin {function.name} with global {name}, or give its variable another name."
        where = " and ".join(map(str, sorted(set(stores))[:3]))
        return f"{name} gets a value in line {where} only, which did not run here.", \
            f"Give {name} a value before line {min([place.line, *stores])}."
    outer = place.text.parents.get(place.node)
    is_called = isinstance(outer, ast.Call) and outer.func is place.node
    if not stored and (is_called or name in ("rank", "size")) and (owner := _comm(place, name)):
        return f"No line gives {name} a value; {owner}.{name} has one.", f"Write {owner}.{name} {place.at}, if that is meant."
    if is_called and not stored:
        for module, thing in list(place.frame.f_globals.items()):
            if isinstance(thing, types.ModuleType) and callable(vars(thing).get(name)):
                return f"No line gives {name} a value; the module {module} has a function {name}.", \
                    f"Write {module}.{name} {place.at}, if that is meant."
    close = difflib.get_close_matches(name, [*place.frame.f_locals, *place.frame.f_globals], 1, 0.75) or \
        len(name) > 4 and difflib.get_close_matches(name, dir(builtins), 1, 0.8)
    if close and not stored:
        return f"There is no {name}, but {close[0]}.", f"Write {close[0]} {place.at}."
    later = [line for line in stores if line > place.line]
    if later and len(later) == len(stores) and not place.text.loops(place.statement):
        return f"{name} gets its value in line {later[0]}, after this line.", f"Move line {later[0]} before line {place.line}."
    if stores:
        return f"{name} gets a value in line {min(stores)} only, which did not run here.", \
            f"Give {name} a value before line {min(stores)} that holds where that line does not run."
    for node in ast.walk(tree) if stored else ():
        if isinstance(node, ast.FunctionDef) and _syntax.variables(node, name, ast.Store):
            return f"{name} is a variable of the function {node.name} (line {min(stored)}) and of no other.", \
                f"Return it from {node.name} and keep what that returns, or hand it over as an argument."
    if stored:
        return f"{name} gets a value in line {min(stored)} only, which has not run here.", \
            f"Give {name} a value before this line runs, or hand it over as an argument."
    filled = {one: call.lineno for call in ast.walk(place.text.node) if called(call) in FILLS and isinstance(call, ast.Call)
              for one in names_in(call) if one in place.frame.f_locals and call.lineno < place.line and _is_only_filled(place, one)}
    if len(filled) == 1:
        (one, at), = filled.items()
        return f"No line gives {name} a value, and no line uses {one}, which line {at} fills.", \
            f"Write {one} for {name} {place.at}, if that is meant."
    unread = [one for one in place.text.parameters if one != "self" and not _syntax.variables(function, one, ast.Load)]
    if len(unread) == 1:
        return f"No line gives {name} a value, and no line of {function.name} reads its parameter {unread[0]}.", \
            f"Write {unread[0]} for {name} {place.at}, if that is meant."
    known = [one for one in place.frame.f_locals if not one.startswith("_")]
    ranks = next((one for one in known if SIZE.fullmatch(one)), None)
    if ranks and any(isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Div, ast.FloorDiv)) and name_of(one.right) == name
                     for one in ast.walk(place.statement)):
        return f"No line gives {name}, by which line {place.line} divides, a value.", \
            f"Write {ranks} for {name} {place.at}, if the number of ranks is meant."
    known = known if function is not tree else ()
    longer = [one for one in place.frame.f_locals if one.startswith(name)]
    if longer and tree.body[-1].end_lineno == place.line:  # the text may have been cut off
        return f"No line gives {name} a value; the text ends here, and {longer[0]} begins so.", \
            f"Finish line {place.line}, or delete it."
    if not known and isinstance(place.node, ast.Name) and not isinstance(outer, (ast.BinOp, ast.Compare)):
        return f"No line gives {name} a value.", \
            f"Write \"{name}\" in quotes {place.at} if it is text, or give {name} a value before."
    return f"No line gives {name} a value.", f"Give {name} a value before line {place.line}, or write the name that is meant" + (
        f"; {function.name} has {', '.join(known)}." if known else ".")


def _imported(name):
    """The import that a module, or a usual short name of one, needs; empty for other names."""
    usual = {"np": "import numpy as np", "numpy": "import numpy", "MPI": "from mpi4py import MPI", "torch": "import torch",
             "dist": "import torch.distributed as dist", "nn": "import torch.nn as nn", "mp": "import torch.multiprocessing as mp",
             "plt": "import matplotlib.pyplot as plt", "pd": "import pandas as pd"}
    return usual.get(name, f"import {name}" if name in getattr(sys, "stdlib_module_names", ()) else "")


def _is_only_filled(place, name):
    """Returns whether a variable is an array that is only named where a call receives into it."""
    return bool(_memory.shape_of(place.value(name))) and all(
        any(one in ast.walk(_syntax.filled(outer) or ast.Pass()) for outer, _ in place.text.above(one))
        for one in _syntax.variables(place.text.node, name, ast.Load))


def _comm(place, name):
    """A variable of the program that is a communicator with a member of this name; empty without one."""
    for variable, thing in [*place.frame.f_locals.items(), *place.frame.f_globals.items()]:
        if is_comm(thing) and hasattr(type(thing), name):
            return variable
    return ""


@explains(AttributeError, r"^(?!partially initialized).*has no attribute '(\w+)'")
def _no_attribute(place, told):
    name, thing, node = told[1], getattr(place.error, "obj", None), place.node
    if hasattr(str, name) and isinstance(thing, io.IOBase) and isinstance(node, ast.Attribute):
        file = unparse(place.node.value)
        read = [unparse(one.targets[0]) for one in ast.walk(place.text.node) if isinstance(one, ast.Assign) and
                unparse(one.value) == f"{file}.read()" and one.lineno < place.line]
        return f"{file} is a file; the text in it is what {file}.read() returns.", \
            f"Write {(read + [file + '.read()'])[0]}.{name}() {place.at}."
    if not isinstance(node, ast.Attribute) or node.attr != name:
        node = next((one for one in ast.walk(node) if isinstance(one, ast.Attribute) and one.attr == name), None)
        thing = None
    owner = getattr(node, "value", None) if isinstance(node, ast.Attribute) else None
    if thing is None and owner is not None:
        thing = place.value(owner)
    if thing is UNKNOWN or thing is None:
        return None
    of = unparse(owner) if owner is not None else f"the {type(thing).__name__}"
    what = f"{of} is {shown(thing)}{place.made(owner)}, which has no {name}."
    line, arrays = place.at, getattr(sys.modules.get("numpy"), "ndarray", None)
    own = _MOVED.get(name, name)
    if isinstance(thing, types.ModuleType) and thing.__name__ == "numpy" and hasattr(builtins, own):
        gone = name in ("bool", "int", "float", "complex", "object", "str", "long", "unicode")
        return f"numpy.{name} was Python's own {own}, and is gone from NumPy since 1.24." if gone else \
            f"numpy has no {name}; Python has{'' if own == name else f' {own}'}.", f"Write {own} for {of}.{name} {line}."
    if isinstance(thing, (list, tuple, int, float)) and hasattr(arrays, name):
        return what, f"Make an array of it: numpy.array({of}).{name}."
    if isinstance(thing, (types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
        return what, f"Call it: {of}().{name}."
    if _memory.is_tensor(thing) and hasattr(arrays, name):
        return what, f"Write {of}.numpy().{name} {line}, or torch's own function."
    if name == "append" and _memory.is_plain_array(thing):
        return what, f"Write {of} = numpy.append({of}, ...), or collect in a list and make one array of it at the end."
    kinds = [] if isinstance(thing, types.ModuleType) else (thing if isinstance(thing, type) else type(thing)).__mro__
    own = [] if _syntax.length(thing) is not None else [thing]  # whose attributes are in its __dict__
    has = sorted({one for part in [*kinds, *own] for one in getattr(part, "__dict__", ()) if not one.startswith("_")})
    alike = [one for one in has if one.replace("_", "").lower() == name.replace("_", "").lower()]
    close = next(iter(difflib.get_close_matches(name, alike or has, 1, 0 if alike else 0.7)), None)
    return (what, f"Write {of}.{close} {line}{'' if alike else ', if that is meant'}.") if close else \
        (what, f"Use what {a_kind(type(thing).__name__)} has, or give {of} the object that is meant.")


# ---- calls ----

@explains((TypeError, AttributeError, ValueError), r"NoneType|must be real number, not None|\bNone\b")
def _returns_nothing(place, told):
    for one in ast.walk(place.node):
        if isinstance(one, ast.BinOp) and isinstance(one.left, ast.Call) and one.left.args and \
                place.value(one.left.func) is print:
            whole = ast.BinOp(one.left.args[0], one.op, one.right)
            return "print returns None: in Python 3 its brackets end before the operator.", \
                f"Write print({unparse(whole)}) {place.at}."
    made, inner = None, place.parts()
    value = next((one for one in inner if isinstance(one, ast.Call) and _changes(place, one) is not None), None)
    node, _ = place.find(lambda value: value is None, inner) if value is None else (None, None)
    if node is not None:
        made, caller, arguments = place.maker(node), *place.caller()
        handed = arguments.get(getattr(node, "id", None))
        if made is None and isinstance(handed, ast.Name) and not place.text.stores(node.id) and caller.maker(handed):
            made, place, node = caller.maker(handed), caller, handed
        value = made[1] if made and isinstance(made[1], ast.Call) and _changes(place, made[1]) is not None else None
    if value is not None:
        at, verb, keeps = made[0].lineno if made else place.line, called(value), _changes(place, value)
        instead = _IN_PLACE.get(verb, "").format(keeps)
        return f"{verb} returns None" + (f": it changes {keeps} itself." if keeps else "."), \
            f"Write {unparse(value)} alone in line {at}" + (f", and use {keeps}" if keeps else "") + (
                f"; or {instead}." if instead else ".")
    if node is None:
        return None
    return f"{unparse(node)} is None here{place.made(node)}.", \
        f"Give {unparse(node)} a value on this rank before line {place.line}."


def _changes(place, call):
    """What a call that returns None changes, as text; "" where it changes nothing, None where the call may be another's."""
    verb, owner = called(call), getattr(call.func, "value", None)
    thing = place.value(owner) if owner is not None else UNKNOWN
    if isinstance(thing, types.ModuleType) and verb == "shuffle" and thing.__name__ in ("random", "numpy.random"):
        return unparse(call.args[0]) if call.args else None
    if verb in _IN_PLACE:
        _, before = thing is None and place.maker(owner, place.text.statement(call)) or (None, None)
        is_own = type(thing) in (list, dict, set, bytearray) or isinstance(before, (ast.List, ast.ListComp, ast.Dict, ast.Set))
        return unparse(owner) if is_own and verb != "shuffle" else None
    return _syntax.fills(place.frame, call)


@explains(TypeError, r"(\w+)\(\) (?:missing \d+ required (?:positional|keyword-only) arguments?: (.*)|"
                      r"takes (?:from \d+ to )?(?:no|\d+|exactly \w+)[^,]* but (\d+) (?:was|were) given|"
                      r"got an unexpected keyword argument '(\w+)'|got multiple values for argument '(\w+)')")
def _signature(place, told):
    calls = [one for one in ast.walk(place.node) if called(one) == told[1]] or \
        [one for one in ast.walk(place.node) if isinstance(one, ast.Call) and told[1] == "__init__" and
         isinstance(place.value(one.func), type)]
    if not calls:
        return None
    function, names, own = place.value(calls[0].func), [], ""
    define = [one for one in ast.walk(place.text.tree) if isinstance(one, ast.FunctionDef) and one.name == told[1] != "__init__"]
    if len(define) == 1:
        names, own = [one.arg for one in define[0].args.args + define[0].args.kwonlyargs], f" (line {define[0].lineno})"
        takes = names
    else:
        try:
            found = inspect.signature(function).parameters
        except (TypeError, ValueError):
            return None
        names = [one for one in found if not one.startswith("_")]
        takes = [str(found[one]) for one in names]
    given_here = [unparse(one) for one in calls[0].args] + [f"{one.arg}={unparse(one.value)}" for one in calls[0].keywords]
    why = f"{called(calls[0])}{own} takes {', '.join(takes) or 'nothing'}; the call gives " + (
        ", ".join(given_here[:8]) + ", ..." * (len(given_here) > 8) or "nothing") + "."
    lacking, wrong = told[2] and re.sub(r"'", "", told[2]), told[4] or told[5]
    if lacking:
        return why, f"Give {lacking}, too, {place.at}." if lacking != "self" else \
            f"Call it on an object of the class {place.at}, not on the class."
    if told[5]:
        args = dict(zip(names, calls[0].args))
        return why, f"Leave {unparse(args[wrong]) if wrong in args else wrong} out {place.at}."
    if wrong:
        other = {"dest": "Send", "dst": "send", "source": "Recv", "src": "recv"}.get(wrong)
        if other and re.search("send|recv", told[1], re.I) and other[1:] != told[1][-len(other) + 1:]:
            other = other if told[1][:1].isupper() else other.lower()
            return f"{why} A message's {wrong} is an argument of {other}.", \
                f"Write {other} for {told[1]} {place.at}, if it is rank {unparse(argument(calls[0], wrong))} that " + (
                    "gets the data." if other.lower() == "send" else "has the data.")
        close = difflib.get_close_matches(wrong, names, 1, 0.5) or (names[:1] if wrong in _BUFFERS and not own else [])
        return why, (f"Write {close[0]} for {wrong} {place.at}" + (
            ", or give it without a name." if close[0] == names[0] else ".")) if close else f"Leave {wrong} out {place.at}."
    if told[3] and int(told[3]) == len(given_here) + 1 and isinstance(calls[0].func, ast.Attribute) and "self" not in names:
        return why, f"Add self as the first parameter of {told[1]}{own}, or leave an argument out {place.at}."
    return why, f"Give these {len(takes)} arguments {place.at}." if takes else f"Write {told[1]}() {place.at}."


@explains(TypeError, r"'(\w+)' object is not callable")
def _not_callable(place, told):
    node = place.node.func if isinstance(place.node, ast.Call) else None
    if node is None:
        return None
    name, value = name_of(node), place.value(node)
    if (place.node.args or place.node.keywords) if value is UNKNOWN else type(value).__name__ != told[1]:
        return None  # a function of the library may have called another object
    if isinstance(node, ast.Name) and hasattr(builtins, name):
        return f"{place.is_(node, value)}: this variable hides Python's own {name}.", \
            f"Give the variable another name{place.made(node)}."
    inside = ", ".join(unparse(one) for one in place.node.args)
    if isinstance(place.statement, ast.For) and place.statement.iter is place.node and isinstance(value, (int, float)):
        return f"{place.is_(node, value)}, and this line calls it.", f"Write range(...) {place.at}."
    if (_syntax.length(value) is not None or hasattr(type(value), "__getitem__")) and inside:
        return place.is_(node, value) + ".", f"Write {unparse(node)}[{inside}] {place.at}."
    if told[1] == "module" and callable(inner := vars(value).get(value.__name__.rpartition(".")[2])):
        return place.is_(node, value) + ".", f"Write {unparse(node)}.{inner.__name__} {place.at}."
    what = place.is_(node, value) if value is not UNKNOWN else f"{unparse(node)} is {a_kind(told[1])}"
    return f"{what}, which is no function.", f"Leave the round brackets of {unparse(node)} out {place.at}."


@explains(Exception, r"^an? (\w+) is no buffer", ours=True)
def _no_buffer(place, told):
    """An object that is given to a call of mpi4py that takes arrays."""
    call = place.array_call()
    node, value = place.typed(told[1], call.args) if call is not None else (None, None)
    if node is None:
        return None
    verb = called(call)
    lower = verb.lower()
    sends = lower in SENDS
    fills = "" if sends or len(call.args) < 2 else ", without the second argument, and keep what it returns"
    return f"{place.is_(node, value)}; {verb} takes arrays, {lower} any object.", f"Write {lower} for {verb} {place.at}" + (
        f" (and {'recv' if sends else lower} on the other ranks){fills}" if not fills else fills) + \
        f", or give it an array: numpy.array({unparse(node)})."


@explains(TypeError, r"descriptor '(\w+)' (?:of|for) 'super' object|super\(\): no arguments|type object 'super' has no")
def _super(place, told):
    name = told[1] or "__init__"
    return "super is a function: its brackets are missing.", f"Write super().{name}(...) {place.at}."


@explains((ValueError, RuntimeError), r"Invalid process group specified|lobal rank (\d+) is not part of group")
def _not_member(place, told):
    dist = sys.modules["torch.distributed"]
    node, _ = place.find(lambda value: value is dist.GroupMember.NON_GROUP_MEMBER)
    if node is None:
        word, group = "dst" if argument(place.node, "dst") else "src", argument(place.node, "group")
        root, ranks = argument(place.node, word, 1), sorted(dist.get_process_group_ranks(place.value(group)))
        own = f"dist.get_global_rank({unparse(group)}, {unparse(root)})"
        return f"{word} is a rank of the whole run; {unparse(group)} has the ranks {', '.join(map(str, ranks))}.", \
            f"Write {word}={own} {place.at}, if the group's own rank {told[1]} is meant." if place.value(root) < len(ranks) else \
            f"Give {word} one of these ranks {place.at}."
    made, value = place.maker(node) or (None, None)
    group = f", {unparse(value)} in line {made.lineno}" if made else ""
    ranks = unparse(value.args[0]) if made and value.args else "the group's ranks"
    return f"Rank {_notes.rank()} is no member of {unparse(node)}{group}.", \
        f"Call it on the members alone (if rank in {ranks}:), or make the group of these ranks."


@explains(ValueError, r"must NOT be specified on non-(?:destination|source) ranks")
def _list_on_root(place, told):
    call = next((one for one in ast.walk(place.node) if called(one) in ("gather", "scatter")), None)
    listed = argument(call, f"{called(call)}_list", 1)
    root = argument(call, "dst" if called(call) == "gather" else "src", 2)
    if listed is None:
        return None
    return f"{unparse(listed)} is given on rank {_notes.rank()}, too; only the root's call takes the list.", \
        f"Give {unparse(listed)} if dist.get_rank() == {unparse(root) if root is not None else 0} else None {place.at}."


# ---- modules, files and calls without an end ----

@explains(RecursionError)
def _recursion(place, told):
    code, codes, trace = place.frame.f_code, [], place.error.__traceback__
    while trace is not None:
        codes.append(trace.tb_frame.f_code)
        trace = trace.tb_next
    depth, limit = codes.count(code), sys.getrecursionlimit()
    if depth < 3:
        return None
    itself = any(one is code is other for one, other in zip(codes, codes[1:]))
    return f"{code.co_name} was called {depth} times without a return in between; Python allows {limit} calls inside of one " \
        "another.", f"Give {code.co_name} (line {code.co_firstlineno}) a case that returns without " + (
            "calling itself" if itself else "a further call") + "; if it has one that it would reach, write a loop."


_PACKAGES = {"cv2": "opencv-python", "sklearn": "scikit-learn", "yaml": "pyyaml", "PIL": "pillow", "skimage": "scikit-image",
             "bs4": "beautifulsoup4"}


@explains(ModuleNotFoundError, r"No module named '([\w.]+)'")
def _module(place, told):
    parent, _, last = told[1].rpartition(".")
    if parent:
        return f"{parent} has no module {last}.", f"Import what {parent} has {place.at}."
    module, folder = told[1], os.path.dirname(os.path.abspath(place.frame.f_code.co_filename))
    files = [file[:-3] for file in sorted(os.listdir(folder)) if file.endswith(".py")] if os.path.isdir(folder) else []
    if close := difflib.get_close_matches(module, files, 1, 0.75):
        return f"There is no {module}, but {close[0]}.", f"Write {close[0]} {place.at}."
    why = f"The Python that runs this, {sys.executable}, has no {module}."
    if module in getattr(sys, "stdlib_module_names", ()):
        return f"{why[:-1]}, which belongs to Python's library.", "Name a Python that has it with --python."
    return why, f"Install it there ({sys.executable} -m pip install {_PACKAGES.get(module, module)}" + (
        "" if module in _PACKAGES else ", if its package has this name") + "), or name another Python with --python."


@explains((ImportError, AttributeError), r"partially initialized module '([\w.]+)'")
def _circle(place, told):
    module, file = told[1], place.frame.f_code.co_filename
    other = getattr(sys.modules.get(module), "__file__", None)
    if other and os.path.abspath(other) == os.path.abspath(file):
        return f"{module} is this file itself, {os.path.basename(file)}: it imports itself.", \
            f"Give the file another name, if another {module} is meant."
    return f"{module} has not been read to its end: it imports, itself or through others, this file, which needs {module}.", \
        "Move what both need into a third file, or write the import inside of the function that needs it."


@explains(ImportError, r"cannot import name '(\w+)' from '?([\w.]+)")
def _import(place, told):
    module = sys.modules.get(told[2])
    close = difflib.get_close_matches(told[1], dir(module), 1, 0.6) if module is not None else ()
    return f"{told[2]} has no {told[1]}.", f"Write {close[0]} {place.at}, if that is meant." if close else \
        f"Import what {told[2]} has, or the release of it for which the program is written."


@explains(UnicodeDecodeError)
def _decoding(place, told):
    return "", f"Name the file's encoding {place.at}, as in open(..., encoding=\"latin-1\")."


@explains(Exception)
def values(place, told):
    """The values of the variables in the expression, where no rule knows more."""
    seen = []
    for one in ast.walk(place.node if not isinstance(place.node, (ast.If, ast.For, ast.While, ast.With)) else ast.Pass()):
        if len(seen) == 4:
            break
        value = place.value(one) if isinstance(one, ast.Name) and one.id in place.frame.f_locals else UNKNOWN
        plain = isinstance(value, (int, float, str, list, tuple, dict)) or bool(_memory.shape_of(value))
        words = place.is_(one, value) if plain else ""
        if words and words not in seen:
            seen.append(words)
    return (f"In {unparse(place.node).splitlines()[0][:80]}, " + ", ".join(seen) + ".", "") if seen else None


RULES = (_no_value, _no_attribute, _returns_nothing, _signature, _not_callable, _no_buffer, _super, _not_member, _list_on_root,
         _recursion, _module, _circle, _import, _decoding)
