"""Finds, by the text around a call, that what it has received is lost: an object that nobody keeps, a parameter that is
reassigned, memory that is combined with itself. The run's report says it at the call's line."""
import ast
import functools
import sys

from . import _memory, _notes, _places, _results, _syntax
from ._notes import remark_at
from ._syntax import SENDS, called

_TIMERS = {"time", "perf_counter", "monotonic", "Wtime", "timeit", "perf_counter_ns", "time_ns"}
_seen = {}  # (id of a code object, instruction, a look) -> the code object: looked at


def _differ(one, other):
    """Returns whether two objects surely hold different things."""
    shapes = [_memory.shape_of(thing) for thing in (one, other)]
    if not all(shape or _syntax.is_plain_value(thing) for shape, thing in zip(shapes, (one, other))):
        return type(one) is not type(other)
    same = shapes[0] == shapes[1] and one == other
    return not (same if isinstance(same, bool) else bool(same.all()))


def _is_mutable(thing):
    return isinstance(thing, (list, dict, set, bytearray)) or _memory.is_tensor(thing) or _memory.is_plain_array(thing)


def _site(look=""):
    """The program's frame whose call is under way, the first time that a look is taken at this call; else None."""
    if not _notes._folder:
        return None
    frame = sys._getframe(4)
    while frame is not None and _places.is_foreign(frame.f_code):
        frame = frame.f_back
    if frame is None:
        return None
    key = (id(frame.f_code), frame.f_lasti, look)
    if key in _seen:
        return None
    _seen[key] = frame.f_code
    return frame if _notes.rank() is not None else None


def _call_under_way(verb):
    """(its frame, the frame's syntax, the call): a call of the program that _site() has not seen; Nones if its line has several
    of this verb."""
    frame = _site()
    text = _syntax.text_of(frame.f_code) if frame is not None else None
    calls = text.calls(frame.f_lineno, {verb}) if text is not None else ()
    return (frame, text, calls[0]) if len(calls) == 1 else (None, None, None)


def _names_of(frame, thing):
    """A frame's variables that are this object."""
    return [name for name, value in list(frame.f_locals.items()) if value is thing]


def _never_stops(look):
    """Keeps a look at the program's objects, which may do anything, from stopping the program."""
    @functools.wraps(look)
    def careful(*arguments):
        try:
            look(*arguments)
        except Exception:
            pass
    return careful


# ---- objects that a call returns ----

@_never_stops
def returned(verb, got, given=None, root=0):
    """Looks at what becomes of the object that a call of the program returns; `given` is what it was given."""
    frame, text, call = _call_under_way(verb)
    if call is None:
        return
    statement = text.statement(call)
    if got is None:
        return _results.look_at_none(frame, text, call, statement, verb, root)
    if isinstance(statement, ast.Expr) and statement.value is call:
        _seen.pop((id(frame.f_code), frame.f_lasti, ""), None)  # another time it may be certain
        (_dropped_message if verb == "recv" else _dropped)(frame, text, call, statement, verb, got, given)
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        _rebound(frame, text, statement, verb, got)
        _results.look(frame, text, call, statement, verb, given)


def _dropped(frame, text, call, statement, verb, got, given):
    name = call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else ""
    moves = verb in ("bcast", "scatter")
    if not name or not _differ(given, got) or not text.used_after(name, statement) or (
            not moves and (text.loops(statement) or text.uses(_TIMERS))):
        return
    remark_at(frame, statement.lineno, f"{verb} returns what has come, and this line does not keep it",
            f"The variable {name}, which is used after it, stays as it was on this rank.",
            f"Write {name} = {ast.unparse(call.func)}({name}, ...).", moves and given is not None)


def _dropped_message(frame, text, call, statement, verb, got, given):
    for send in ast.walk(text.tree):
        if called(send) not in SENDS or not send.args or not isinstance(send.args[0], ast.Name):
            continue
        name = send.args[0].id
        mine = frame.f_locals.get(name, frame.f_globals.get(name))
        if _syntax.tag_of(send) != _syntax.tag_of(call) or (mine is not None and type(mine) is not type(got)) or not _differ(mine, got):
            continue
        used = text.used_after(name, statement)
        sends_on = [node for node in used if called(text.parents[node]) in SENDS]
        if len(used) > len(sends_on):
            remark_at(frame, statement.lineno, "recv returns what has come, and this line does not keep it",
                    f"The variable {name}, which is sent at line {send.lineno} and used on this rank, stays as it was here.",
                    f"Write {name} = {ast.unparse(call)}.", bool(sends_on or text.loops(statement)))
            return


def _rebound(frame, text, statement, verb, got):
    name = statement.targets[0].id
    mine = frame.f_locals.get(name)
    sent = _syntax.sends_of(text.node, name)  # on other ranks: the function is a broadcast of its parameter
    if name not in text.parameters or text.returns() or not (_is_mutable(mine) or (mine is None and sent)) or \
            not (sent or _differ(mine, got)):
        return
    if not text.reads(name, statement) or not text.has_effect(frame):
        _lost_parameter(frame, text, statement, name, mine, f"what {verb} returns")


def _lost_parameter(frame, text, statement, name, mine, what):
    function = frame.f_code.co_name
    tensor = _memory.is_tensor(mine)
    in_place = f"{name}.copy_(...)" if tensor else f"{name}[:] = ..." if _is_mutable(mine) and not isinstance(mine, dict) \
        else ""
    remark_at(frame, statement.lineno, f"{what} is kept only in {name}, a name of {function} alone from this line on",
            f"An assignment to a parameter changes its name alone: the caller's object stays as it was, and {function} returns"
            " nothing.",
            (f"Write {in_place}, which changes the caller's object, or r" if in_place else "R") +
            f"eturn {name} and keep it: {name} = {function}({name}).")


@_never_stops
def kept():
    """Looks at whether the program keeps, and uses, what a call returns that returns nothing."""
    frame = _site("kept")
    text = _syntax.text_of(frame.f_code) if frame is not None else None
    for call in text.calls(frame.f_lineno, _syntax.FILLS) if text is not None else ():
        statement = text.statement(call)
        name = _syntax.name_of(statement.targets[0]) if isinstance(statement, ast.Assign) and statement.value is call else ""
        if not name or _syntax.fills(frame, call) is None:
            continue
        used = [one for one in text.used_after(name, statement) if isinstance(one.ctx, ast.Load) and not isinstance(
            text.parents[one], (ast.Compare, ast.Attribute, ast.If, ast.BoolOp, ast.UnaryOp))]
        if used and not text.loops(statement):
            remark_at(frame, used[0].lineno, f"{name} is None there: {called(call)} in line {statement.lineno} returns nothing",
                      f"{called(call)} changes the array that it is given.",
                      f"Write {ast.unparse(call)} alone in line {statement.lineno}, and use the array.", True)


# ---- memory that a call fills, or leaves as it is ----

@_never_stops
def left_to_root(verb, buffer, root):
    """Looks at whether this rank uses the memory that a call fills on the root only."""
    frame, text, call = _call_under_way(verb)
    array = _array_in(buffer)
    if call is not None and array is not None and (names := _names_of(frame, array)):
        _results.look_beside_root(frame, text, call, text.statement(call), verb, names[0], root)


def _array_in(buffer):
    """The array of a buffer that may be a list of an array, a count and a type."""
    return buffer[0] if isinstance(buffer, (list, tuple)) and buffer else buffer


@_never_stops
def filled(verb, buffer):
    """Looks at what becomes of memory that a call of the program receives into, before it is filled."""
    if _site() is None:
        return
    array = _array_in(buffer)
    for frame in _places.user_frames()[:3]:
        text = _syntax.text_of(frame.f_code)
        for name in _names_of(frame, array) if text is not None else ():
            calls = [one for one in ast.walk(text.node) if isinstance(one, ast.Call) and one.lineno <= frame.f_lineno <=
                     one.end_lineno and _syntax.variables(one, name)]
            if calls and (_combined_with_itself(frame, text, text.statement(calls[0]), verb, name, array) or
                          _rebinds_parameter(frame, text, text.statement(calls[0]), name)):
                return


@_never_stops
def reduced(tensor):
    """Looks at what a call of the program reduces: in a hook, the parameter in place of its gradient."""
    if _site() is None:
        return
    torch = sys.modules["torch"]
    for frame in _places.user_frames()[:3]:
        code = frame.f_code
        for name in code.co_varnames[:code.co_argcount]:
            value = frame.f_locals.get(name)
            if "grad" in name.lower() and isinstance(value, torch.nn.Parameter) and value.grad is not None and \
                    value.numel() == tensor.numel() and torch.equal(value.detach().flatten().to(tensor.dtype), tensor.flatten()):
                innermost = _places.user_frames()[0]
                remark_at(innermost, innermost.f_lineno, f"what is reduced is the parameter itself, and not its gradient: {name} "
                        f"is the parameter", "A hook of register_post_accumulate_grad_hook is given the parameter, whose"
                        " gradient is in its .grad. All ranks have the same parameters, so that nothing is averaged.",
                        f"Reduce {name}.grad.")
                return


@_never_stops
def partial(verb, tensor, root):
    """Looks at whether a rank that is not the root uses what a reduction leaves in its tensor."""
    frame, text, call = _call_under_way(verb)
    name = call.args[0].id if call is not None and call.args and isinstance(call.args[0], ast.Name) else None
    if name is None or frame.f_locals.get(name) is not tensor:
        return
    for read in text.used_after(name, text.statement(call)):
        if not any(isinstance(outer, (ast.If, ast.IfExp)) for outer, _ in text.above(read)):
            remark_at(frame, frame.f_lineno, f"{name} is used at line {read.lineno} on ranks other than the root, too",
                    f"{verb} gives the result to rank {root} only: elsewhere {name} holds partial sums, with gloo others than"
                    " here.", f"Use {name} on rank {root} only, or call all_reduce.", True)
            return


def _operands(node):
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    if isinstance(node, ast.AugAssign):
        return node.target, node.value
    if isinstance(node, ast.Call) and len(node.args) >= 1 and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("add_", "mul_", "sub_"):
            return node.func.value, node.args[0]
        if node.func.attr in ("add", "maximum", "minimum", "max", "min", "multiply") and len(node.args) > 1:
            return node.args[0], node.args[1]
    return None


def _combined_with_itself(frame, text, statement, verb, name, buffer):
    mine = _memory.span(buffer)
    if mine is None or not mine[1]:
        return False
    stores = [one.lineno for one in text.stores(name) if one.lineno > statement.end_lineno]
    for node in ast.walk(text.node):
        pair = _operands(node)
        if pair is None or node.lineno <= statement.end_lineno or node.lineno > min(stores, default=1 << 30) or \
                not text.may_follow(node, statement) or name not in (one.id for one in pair if isinstance(one, ast.Name)):
            continue
        other = pair[1] if isinstance(pair[0], ast.Name) and pair[0].id == name else pair[0]
        if not _syntax.is_plain(other) or (isinstance(other, ast.Name) and other.id == name) or \
                _memory.span(_syntax.evaluated(frame, other)) != mine:
            continue
        shown, module = ast.unparse(other), "torch" if _memory.is_tensor(buffer) else "numpy"
        copied = f", or {shown}.clone()" if module == "torch" else f", or {shown}.copy()"
        remark_at(frame, frame.f_lineno, f"{verb} writes into {shown} itself: {name} is no copy of it, but the same memory",
                f"This rank's own numbers there are gone, and line {node.lineno} combines what came with itself.",
                f"Receive into memory of its own: {name} = {module}.empty_like({shown}){copied}.")
        return True
    return False


def _rebinds_parameter(frame, text, statement, name):
    """A result that is only assigned to a parameter: `t = t + received`, or a receive into a parameter's new array."""
    if text.returns() or text.uses({"locals", "eval", "exec"}):
        return False
    for node in ast.walk(text.node):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name) or \
                node.targets[0].id not in text.parameters:
            continue
        target = node.targets[0].id
        mine = frame.f_locals.get(target)
        if isinstance(node.value, ast.Name) or not (_memory.is_tensor(mine) or _memory.is_plain_array(mine)):
            continue
        computes = name in _syntax.names_in(node.value) and node.lineno > statement.end_lineno and text.may_follow(node, statement)
        renewed = target == name and node.lineno < statement.lineno and \
            called(node.value) in _syntax.FRESH and text.may_follow(statement, node) and not _is_callers(frame, mine)
        if computes and not (text.reads(target, node) and text.has_effect(frame)):
            _lost_parameter(frame, text, node, target, mine, "what this line computes")
            return True
        if renewed and not text.reads(target, statement):
            _lost_parameter(frame, text, node, target, mine, "the array that is received into")
            return True
    return False


def _is_callers(frame, thing):
    """Returns whether an array is a variable of the caller's."""
    caller = frame.f_back
    return caller is None or any(value is thing for scope in (caller.f_locals, caller.f_globals)
                                 for value in list(scope.values()))
