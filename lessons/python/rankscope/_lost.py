"""Finds, by the text around a call, that what it has received is lost: an object that nobody keeps, a parameter that is
reassigned, memory that is combined with itself. The run's report says it at the call's line."""
import ast
import functools
import math
import sys
import time
import weakref

from . import _halos, _memory, _notes, _places, _results, _syntax
from ._notes import remark_at
from ._syntax import SENDS, argument, called

_TIMERS = {"time", "perf_counter", "monotonic", "Wtime", "timeit", "perf_counter_ns", "time_ns"}
_MANY = 32    # communicators that one line makes
_LONG = 0.5   # seconds of a loop whose ranks work one after the other
_sums = {}    # id of what a call has summed over the ranks -> a weak reference to it
_made = {}    # (id of a code object, line) -> communicators that it has made
_turns = {}   # (id of a code object, instruction) -> the turns of a loop that waits for one rank after the other
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
    """The program's frame whose call is under way, and its syntax, the first time that a look is taken at this call; else
    Nones."""
    if not _notes._folder:
        return None, None
    frame = sys._getframe(4)
    while frame is not None and (_places.is_foreign(frame.f_code) or frame.f_code.co_name == "<listcomp>"):
        frame = frame.f_back
    if frame is None:
        return None, None
    key = (id(frame.f_code), frame.f_lasti, look)
    if key in _seen:
        if not look and key[:2] in _turns:
            _turn(frame, _turns[key[:2]])
        return None, None
    _seen[key] = frame.f_code
    return (frame, _syntax.text_of(frame.f_code)) if _notes.rank() is not None or _notes.driver else (None, None)


def _call_under_way(*verbs, look=""):
    """(its frame, the frame's syntax, the call): a call of the program that _site() has not seen; Nones if its line has several
    of these verbs."""
    frame, text = _site(look)
    calls = text.calls(frame.f_lineno, verbs) if text is not None else ()
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
    if verb == "recv":
        _one_by_one(frame, text, call, statement)
    if got is None:
        return _results.look_at_none(frame, text, call, statement, verb, root)
    if isinstance(statement, ast.Expr) and statement.value is call:
        _seen.pop((id(frame.f_code), frame.f_lasti, ""), None)  # another time it may be certain
        (_dropped_message if verb == "recv" else _dropped)(frame, text, call, statement, verb, got, given)
    elif verb == "scan" and isinstance(statement, ast.Assign) and statement.value is call:
        _results.inclusive(frame, text, call, _syntax.target_of(statement), given)
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
        if _syntax.tag_of(send) != _syntax.tag_of(call) or (mine is not None and type(mine) is not type(got)) or \
                not _differ(mine, got):
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
        _lost_parameter(frame, statement, name, mine, f"what {verb} returns")


def _lost_parameter(frame, statement, name, mine, what):
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
    frame, text = _site("kept")
    if text is not None:
        _results.left_over(frame, text)
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


@_never_stops
def got(seconds):
    """Looks at a ray.get of one result that the same turn of a loop has started: the actors work one after the other."""
    frame = sys._getframe(3)
    turns = _turns.setdefault((id(frame.f_code), frame.f_lasti), [0, 0.0])
    turns[:] = turns[0] + 1, turns[1] + seconds
    if turns[0] < 3 or turns[1] < _LONG or not _notes.driver or (text := _syntax.text_of(frame.f_code)) is None:
        return
    took, turns[1] = turns[1], -math.inf  # once is enough
    for call in text.calls(frame.f_lineno, {"get"}):
        statement, loop = text.statement(call), next(iter(text.loops(text.statement(call))), None)
        started = next((value for _, value in _syntax.given(loop, _syntax.name_of(call.args[0]))), call.args[0])
        # A call that is given what a turn makes of its result has to wait.
        kept = set(_syntax.names_in(statement)) - set(_syntax.names_in(call)) | set(
            _syntax.names_in(_syntax.target_of(statement)))
        for node in ast.walk(loop):
            if isinstance(node, (ast.Assign, ast.AugAssign)) and kept & set(_syntax.names_in(node.value)):
                kept.update(_syntax.names_in(_syntax.target_of(node)))
        if isinstance(loop, ast.For) and called(started) == "remote" and _syntax.base_of(started.func) in _syntax.names_in(
                loop.target) and not any(kept & set(_syntax.names_in(one)) for one in (*started.args, *started.keywords)):
            remark_at(frame, call.lineno, "the actors work one after the other: ray.get waits here for each before the next has "
                      "its call", f"{turns[0]} of these waits have taken {took:.1f} s so.",
                      "Call remote() for all of them first, in a list, and hand the list to one ray.get.", True)


@_never_stops
def waited():
    """Looks at whether a program takes one of several results that a ray.wait returns, and drops the others."""
    frame, text, call = _call_under_way("wait")
    pair = getattr(_syntax.target_of(text.statement(call)), "elts", ()) if call is not None else ()
    if len(pair) != 2 or not call.args or _syntax.name_of(pair[1]) not in _syntax.names_in(call.args[0]) or \
            not text.loops(call):  # else the first ones may be all that is wanted
        return
    name, uses = _syntax.name_of(pair[0]), _syntax.variables(text.node, _syntax.name_of(pair[0]), ast.Load)
    taken = {ast.unparse(text.parents[one]) for one in uses}
    if len(taken) == 1 and taken <= {f"{name}[0]", f"{name}[-1]"}:
        remark_at(frame, uses[0].lineno, f"{taken.pop()} is the only result that is taken of those that ray.wait in line "
                  f"{call.lineno} returns, which may be several", f"The others are in {name} alone, and no longer in "
                  f"{_syntax.name_of(pair[1])}: nobody ever takes them.", f"Take all of them: ray.get({name}), or leave "
                  "num_returns out, which is 1 then.")


@_never_stops
def averaged(*verbs):
    """Looks at whether a call averages the means of the ranks' parts, which have different lengths."""
    frame, text, call = _call_under_way(*verbs, look="averaged")
    if call is not None:
        _results.averaged(frame, text, call)


@_never_stops
def single(tensor):
    """Counts the calls of a line that sums one element of an array in each turn of a loop."""
    frame = _places.user_frames()[0]
    key = (id(frame.f_code), frame.f_lasti)
    _made[key] = _made.get(key, 0) + 1
    if _made[key] != 2 * _MANY:
        return
    text = _syntax.text_of(frame.f_code)
    for call in text.calls(frame.f_lineno, {"all_reduce"}):
        loop, part = text.loops(call)[0], call.args[0]
        whole = ast.unparse(getattr(part, "value", part))
        alone = not any(isinstance(one, ast.Break) or one.lineno < call.lineno and ast.unparse(one) == whole
                        for line in loop.body for one in ast.walk(line) if isinstance(one, (ast.Break, ast.expr)))
        if alone and isinstance(part, ast.Subscript) and _memory.is_tensor(_syntax.evaluated(frame, part.value)) and set(
                _syntax.names_in(part.slice)) & set(_syntax.names_in(loop.target)):
            remark_at(frame, call.lineno, f"this line sums {whole} over the ranks with a call for each element, {_made[key]} and "
                      "more of them", "Each call takes its time, however little it moves.",
                      f"Call all_reduce({whole}) once, in place of the loop in line {loop.lineno}.", True)


@_never_stops
def shifted(step):
    """Looks at the names that the ranks get which Shift returns."""
    frame, text, call = _call_under_way("Shift")
    if call is not None:
        _results.turned(frame, text, call, step)


# ---- memory that a call fills, or leaves as it is ----

@_never_stops
def left_to_root(verb, buffer, root):
    """Looks at whether this rank uses the memory that a call fills on the root only."""
    frame, text, call = _call_under_way(verb)
    array = _array_in(buffer)
    if call is not None and array is not None and (names := _names_of(frame, array)):
        _results.look_beside_root(frame, text, call, text.statement(call), verb, names[0], root)


def where_made(thing):
    """The line of the one assignment that made an object of the program's innermost line, in words; empty without one."""
    frame = _places.user_frames()[0]
    text = _syntax.text_of(frame.f_code)
    for name in _names_of(frame, thing) if text is not None else ():
        made = [one.lineno for one, value in _syntax.given(text.node, name) if not isinstance(value, ast.Constant)]
        if len(made) == 1:
            return f": {name} is made in line {made[0]}"
    return ""


def _array_in(buffer):
    """The array of a buffer that may be a list of an array, a count and a type."""
    return buffer[0] if isinstance(buffer, (list, tuple)) and buffer else buffer


@_never_stops
def filled(verb, buffer):
    """Looks at what becomes of memory that a call of the program receives into, before it is filled."""
    (frame, text), array = _site(), _array_in(buffer)
    if frame is None:
        return
    if text is not None:
        _never_stops(_halos.look)(frame, text)
        _thrown_away(frame, text, verb, array)
        _read_before_wait(frame, text, array)
    for frame in _places.user_frames()[:3]:
        text = _syntax.text_of(frame.f_code)
        for name in _names_of(frame, array) if text is not None else ():
            calls = [one for one in ast.walk(text.node) if isinstance(one, ast.Call) and one.lineno <= frame.f_lineno <=
                     one.end_lineno and _syntax.variables(one, name)]
            if calls and (_combined_with_itself(frame, text, text.statement(calls[0]), verb, name, array) or
                          _rebinds_parameter(frame, text, text.statement(calls[0]), name)):
                return


@_never_stops
def brought(verb, buffer):
    """Looks at whether any line reads the copy that a collective of the program fills."""
    frame, text = _site("brought")
    if text is not None:
        _thrown_away(frame, text, verb, buffer)


@_never_stops
def _thrown_away(frame, text, verb, buffer):
    calls = text.calls(frame.f_lineno, {verb})
    node = calls[0].args[0] if len(calls) == 1 and calls[0].args and isinstance(text.parents[calls[0]], ast.Expr) else None
    makes = called(node) in ("clone", "copy", "cpu", "float", "double", "astype", "contiguous")
    part = getattr(node.func if makes else node, "value", None) if makes or isinstance(node, ast.Subscript) else None
    if part is not None and _memory.are_apart(_syntax.evaluated(frame, part), buffer) and not text.uses(_TIMERS):
        shown = ast.unparse(node)
        if any(called(one) == verb and one.args and ast.unparse(one.args[0]) == ast.unparse(part) for one in ast.walk(text.node)):
            return  # a first call for its connections, before that which counts
        fill = f"{ast.unparse(part)}.copy_(part)" if makes and _memory.is_tensor(buffer) else \
            f"{ast.unparse(part)}[...] = part" if makes else f"{shown} = part"
        remark_at(frame, frame.f_lineno, f"what {verb} brings is lost: {shown} is a copy that nobody keeps",
                  f"{ast.unparse(part)} stays as it was" + ("." if makes else ", since an index that is no slice makes a new one."),
                  f"Write part = {shown}, then give part to {verb}, and write {fill} behind it.")
        return
    for name in _names_of(frame, buffer) if text.node is not text.tree else ():
        stores = text.stores(name)
        value = getattr(text.statement(stores[0]), "value", None) if len(stores) == 1 else None
        uses = [one for one in _syntax.variables(text.node, name, ast.Load) if frame.f_lineno not in range(
            text.statement(one).lineno, text.statement(one).end_lineno + 1)]
        if called(value) not in ("clone", "copy", "deepcopy") or uses or text.uses(_TIMERS | {"locals"}):
            continue
        copied = value.args[0] if value.args else value.func.value
        while called(copied) == "detach":
            copied = copied.func.value
        copied = ast.unparse(copied)
        fill = f"{copied}.copy_({name})" if _memory.is_tensor(buffer) else f"{copied}[...] = {name}"
        remark_at(frame, frame.f_lineno, f"what {verb} brings is kept only in {name}, which no other line reads",
                  f"{name} is a copy (line {value.lineno}): {copied} stays as it was on this rank.",
                  f"Write {fill} behind this line, or give {copied} itself to {verb}.")
        return


@_never_stops
def summed(tensor):
    """Looks at whether what a call sums over the ranks is the sum of an earlier call, to which a rank has only added since."""
    known = _sums.get(id(tensor))
    if known is None or known() is not tensor:
        if len(_sums) >= 4096:
            _sums.clear()
        _sums[id(tensor)] = weakref.ref(tensor)
        return
    frame, text, call = _call_under_way("all_reduce", "Allreduce", look="summed")
    verb = called(call)
    node = call.args[-1 if verb == "Allreduce" else 0] if call is not None and call.args else None
    if not _syntax.is_plain(node) or _syntax.evaluated(frame, node) is not tensor:
        return
    whole, node = node, node.value if isinstance(node, ast.Subscript) else node
    scope = _syntax.Text(text.tree, text.tree) if isinstance(node, ast.Attribute) else text
    uses = [one for one in ast.walk(scope.node) if type(one) is type(node) and _syntax.name_of(one) == _syntax.name_of(node)]
    adds = [one for one in uses if _adds(scope, one)]
    if not adds or not all(one in adds or _leaves(scope, one, whole is not node) for one in uses):
        return
    if scope is not text and any(isinstance(one, ast.Attribute) and one.attr.endswith("_") and one.attr != "add_" and isinstance(
            one.value, ast.Name) for one in ast.walk(text.tree)):
        return  # it may be this one, reached as a model's buffer
    shown, around = ast.unparse(whole), _in_a_loop(set(_syntax.names_in(whole)))
    remark_at(*around[:2], f"{shown} is summed over the ranks again by {verb} in line {node.lineno}: it is such a sum already, to "
              f"which line {adds[0].lineno} has only added", "What an earlier call has summed counts once for each rank again.",
              f"Call {verb} once, behind the loop{around[2]} that adds, or sum a copy of {shown} each time.")


def _adds(text, node):
    """Returns whether a variable's line only adds to what it holds."""
    outer = text.parents[node]
    if isinstance(outer, ast.Subscript) and outer.value is node:
        node, outer = outer, text.parents[outer]
    return isinstance(outer, ast.AugAssign) and outer.target is node and isinstance(outer.op, ast.Add) or isinstance(
        outer, ast.Attribute) and outer.attr == "add_"


def _leaves(text, node, holds=False):
    """Returns whether a variable's line leaves what it holds, or its elements hold: it reads it, or gives it a new object."""
    outer = text.parents[node]
    if isinstance(outer, ast.Subscript) and outer.value is node and (holds or isinstance(outer.ctx, ast.Load)):
        return _leaves(text, outer)
    if holds and (isinstance(outer, ast.For) or called(outer) in ("sorted", "len")):
        return True
    if isinstance(node.ctx, ast.Store):
        return isinstance(outer, ast.Assign)
    if isinstance(outer, ast.Attribute):
        return not outer.attr.endswith("_") and outer.attr not in ("fill", "sort", "put", "data", "values", "items", "get", "pop")
    if isinstance(outer, (ast.Call, ast.keyword)):
        return called(outer) in ("all_reduce", "Allreduce", "print", "float", "int")
    return isinstance(outer, (ast.BinOp, ast.Compare, ast.Return, ast.FormattedValue))


def _in_a_loop(names):
    """(frame, line, its words) of the innermost line of the program, of those that are under way, that a loop is around which does
    not go through these variables."""
    frames = _places.user_frames()
    for frame in frames:
        text = _syntax.text_of(frame.f_code)
        loops = [one for one in ast.walk(text.node) if isinstance(one, (ast.For, ast.While)) and
                 one.lineno < frame.f_lineno <= one.end_lineno and not names & set(_syntax.names_in(_syntax.target_of(one)))] \
            if text is not None else ()
        if loops:
            return frame, frame.f_lineno, f" in line {max(one.lineno for one in loops)}"
    return frames[0], frames[0].f_lineno, ""


@_never_stops
def made_group(verb, frees, ranks=None):
    """Looks at whether a line makes many communicators, or several of the same ranks, none of which the program frees by one of
    these calls."""
    frame = _places.user_frames()[0]
    key = (id(frame.f_code), frame.f_lineno, *(ranks or ()))
    count = _made[key] = _made.get(key, 0) + 1
    tree = _syntax.tree_of(frame.f_code.co_filename) if count == (4 if ranks else _MANY) else None
    if tree is not None and not any(called(one) in frees and (verb != "new_group" or one.args or one.keywords)
                                    for one in ast.walk(tree)):
        text = _syntax.text_of(frame.f_code)
        made = [one for one in ast.walk(text.node) if isinstance(one, ast.Assign) and called(one.value) == verb and
                one.lineno == frame.f_lineno and isinstance(one.targets[0], ast.Name)]
        name = made[0].targets[0].id if made else "it"
        last = max((one.lineno for one in _syntax.variables(text.node, name, ast.Load)), default=0)
        free = f"dist.destroy_process_group({name})" if verb == "new_group" else f"{name}.Free()"
        of = " of the same ranks" if ranks else ""
        remark_at(frame, frame.f_lineno, f"this line makes a communicator{of} each time, {count} and more on this rank, and no "
                  "line frees one", f"What {verb} makes takes memory and connections until it is freed; an MPI library has about a "
                  "thousand communicators at most.", "Make each one once, before the loop, and keep it, or free it after its "
                  "last use" + (f" in line {last}: {free}." if last else f": {free}."), True)


def _one_by_one(frame, text, call, statement):
    """A loop over ranks that gives each its work and waits for its answer before the next one has any."""
    key = (id(frame.f_code), frame.f_lasti)
    if key in _turns:
        return _turn(frame, _turns[key])
    source, loop = argument(call, "source", 1), next(iter(text.loops(statement)), None)
    if not isinstance(loop, ast.For) or not isinstance(source, ast.Name) or source.id not in _syntax.names_in(loop.target):
        return
    sends = [one for line in loop.body for one in ast.walk(line) if called(one) in SENDS and source.id in _syntax.names_in(
        argument(one, "dest", 1)) and one.lineno < call.lineno]
    if sends and not text.uses({"isend", "irecv"}):
        _turns[key] = [time.perf_counter(), {frame.f_locals.get(source.id)}, source.id, sends[0].lineno, call.lineno,
                       loop.lineno]


def _turn(frame, turns):
    """Notes another turn of such a loop: it is said where the waits take long."""
    begun, ranks, source, send, receive, loop = turns
    ranks.add(frame.f_locals.get(source))
    if len(ranks) < 3 or (seconds := time.perf_counter() - begun) < _LONG:
        return
    turns[0] = math.inf  # once is enough
    remark_at(frame, receive, f"the ranks work one after the other: each gets its work in line {send} only when the one before "
              "has answered here", f"{len(ranks)} ranks have taken {seconds:.1f} s so, of which each has worked for a part only.",
              f"Send to all of them first, and receive the answers in a loop of its own, behind that of line {loop}.", True)


# ---- attributes that are received into ----

@_never_stops
def _read_before_wait(frame, text, buffer):
    """An attribute that a call in the background receives into, and that is read before the method that waits is called."""
    calls = [one for one in text.calls(frame.f_lineno, {"Irecv"}) if one.args and isinstance(one.args[0], ast.Attribute) and
             _syntax.evaluated(frame, one.args[0]) is buffer]
    if len(calls) != 1:
        return
    statement, name = text.statement(calls[0]), calls[0].args[0].attr
    held = _syntax.target_of(statement) or getattr(getattr(getattr(statement, "value", None), "func", None), "value", None)
    if not isinstance(held, ast.Attribute) or text.loops(statement):
        return
    for scope, at, where in _syntax.statements_of(frame, text, statement):
        if where is not frame and frame.f_locals.get("self") is not where.f_locals.get("self", text):
            return
        behind = scope.behind(at)
        wait = next((place for place, one in enumerate(behind) if _syntax.waits_for(text.tree, one, held.attr)), 0)
        for read in (inner for one in behind[:wait] if isinstance(one, (ast.Assign, ast.Expr)) for inner in ast.walk(one)):
            parent = scope.parents.get(read)
            if isinstance(read, ast.Attribute) and read.attr == name and isinstance(read.ctx, ast.Load) and not isinstance(
                    parent, ast.Attribute) and not scope.is_stored_to(read) and called(parent) not in ("Irecv", "irecv", "id"):
                remark_at(where, read.lineno, f"{ast.unparse(read)} is read before the receive in line {calls[0].lineno} has ended",
                          "Until the wait has returned, the memory may hold what was there before, or a part of what comes.",
                          f"Wait for {ast.unparse(held)} before line {read.lineno}.")
                return


@_never_stops
def reduced(tensor):
    """Looks at what a call of the program reduces: in a hook, the parameter in place of its gradient."""
    if _site()[0] is None:
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
    statement = text.statement(call)
    ends = [one.lineno for one in text.behind(statement) if isinstance(one, ast.If) and any(isinstance(
        last, (ast.Return, ast.Raise, ast.Continue)) or called(getattr(last, "value", None)) in ("exit", "_exit") for last in one.body)]
    reads = text.used_after(name, statement)
    ends += [one.lineno for one in reads if called(text.parents[one]) in ("broadcast", "all_reduce", "recv") or _syntax.name_of(
        text.parents[one]) in ("copy_", "fill_", "zero_")]  # it holds something else from there on
    for read in reads:
        uses = [(text, read)] if read.lineno < min(ends, default=math.inf) else []
        returned_to = _syntax.statements_of(frame, text, statement)[1:] if isinstance(text.statement(read), ast.Return) and uses else ()
        for scope, at, _ in returned_to:
            if isinstance(kept := _syntax.target_of(at), ast.Name):
                uses = [(scope, one) for one in scope.used_after(kept.id, at)]
        uses = [(scope, one) for scope, one in uses if not any(
            isinstance(outer, (ast.If, ast.IfExp, ast.BoolOp)) for outer, _ in (*scope.above(one), *text.above(read)))]
        if uses:
            steps = any(called(scope.parents[one]) == "step" for scope, one in uses)
            remark_at(frame, frame.f_lineno, f"{name} is used at line {read.lineno} on ranks other than the root, too",
                    f"{verb} gives the result to rank {root} only: elsewhere {name} holds partial sums, with gloo others than"
                    " here.", f"Use {name} on rank {root} only, or call all_reduce.", not steps)
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
            _lost_parameter(frame, node, target, mine, "what this line computes")
            return True
        if renewed and not text.reads(target, statement):
            _lost_parameter(frame, node, target, mine, "the array that is received into")
            return True
    return False


def _is_callers(frame, thing):
    """Returns whether an array is a variable of the caller's."""
    caller = frame.f_back
    return caller is None or any(value is thing for scope in (caller.f_locals, caller.f_globals)
                                 for value in list(scope.values()))
