"""Finds edge elements of an array that are sent to the rank from which alone they come: a halo that is sent back."""
import ast
from ast import unparse

from . import _memory, _syntax
from ._notes import remark_at
from ._syntax import SENDS, argument, called

_RECEIVES = {"recv", "irecv", "sendrecv"}
_COPIES = {"clone", "copy", "contiguous", "detach", "ascontiguousarray"}
looked = set()  # functions that were looked at


def look(frame, text):
    """Looks at the messages of a function: each send of elements that only a receive from the same rank gives a value."""
    if text.node in looked:
        return
    looked.add(text.node)
    calls = [one for one in ast.walk(text.node) if isinstance(one, ast.Call) and one.args]
    brought = {}  # the text of what is received into -> that of its source
    for call in calls:
        verb = called(call).lower()
        into = (argument(call, "recvbuf", 3) if verb == "sendrecv" else call.args[0]) if verb in _RECEIVES else None
        peer = argument(call, "source", 4 if verb == "sendrecv" else 1) or argument(call, "src")
        if into is not None and peer is not None:
            brought[unparse(into)] = unparse(peer)
    for call in calls:
        part = call.args[0] if called(call).lower() in SENDS | {"sendrecv"} else None
        while called(part) in _COPIES:
            part = getattr(part.func, "value", None) if not part.args else part.args[0]
        peer = argument(call, "dest", 1) or argument(call, "dst")
        runs = all(_syntax.evaluated(frame, outer.test, _syntax.UNKNOWN) is (inner in outer.body)
                   for outer, inner in text.above(call) if isinstance(outer, ast.If))
        if runs and isinstance(part, ast.Subscript) and peer is not None and unparse(peer) in brought.values():
            _compare(frame, text, call, part, unparse(peer), brought)


def _compare(frame, text, call, part, peer, brought):
    """Compares the elements of a send with those that each line of the file writes."""
    whole = part.value
    shape = _memory.shape_of(_syntax.evaluated(frame, whole))
    axis = next((at for at in range(len(shape)) if _elements(part, at, shape) not in (None, set(range(shape[at])))), None)
    if axis is None:
        return
    sent, others, source = _elements(part, axis, shape), False, None
    scope, lines = _syntax.Text(text.tree, text.tree), range(getattr(text.node, "lineno", 0), text.node.body[-1].end_lineno + 1)
    same = {(type(whole), _syntax.name_of(whole))}
    for one in [node for node in ast.walk(scope.node) if isinstance(node, ast.Assign)]:
        ends = {(type(end), _syntax.name_of(end)) for end in (*one.targets, one.value)}
        same |= ends if same & ends and all(kind in (ast.Name, ast.Attribute) for kind, _ in ends) else set()
    for use in ast.walk(scope.node):
        if (type(use), _syntax.name_of(use)) not in same:
            continue
        outer = scope.parents[use]
        statement = scope.statement(use)
        if isinstance(use.ctx, ast.Store):
            value = getattr(statement, "value", None)
            if called(value) not in _syntax.FRESH and (type(value), _syntax.name_of(value)) not in same:
                return
        elif isinstance(outer, ast.Subscript) and outer.value is use:
            receives = unparse(outer) in brought and use.lineno in lines
            if not receives and not isinstance(outer.ctx, ast.Store):
                continue
            stored = _elements(outer, axis, shape)
            given = brought.get(unparse(outer)) if receives else brought.get(unparse(statement.value)) \
                if isinstance(statement, ast.Assign) and use.lineno in lines else None
            if stored is None:
                return
            if not stored & sent:
                others = True
            elif given == peer and sent <= stored:
                source = outer
            else:
                return
        elif isinstance(outer, ast.Call) and not any(
                isinstance(one, ast.FunctionDef) and one.name == called(outer) and {arg.arg for arg in one.args.args} & {
                    name for _, name in same}
                for one in text.tree.body) or isinstance(outer, ast.Attribute) and outer.attr.endswith("_"):
            return  # it may be written to there
    count, size = len(sent), shape[axis]
    inner = f"{count}:{2 * count}" if 0 in sent else f"{-2 * count}:{-count}"
    if source is not None and others and sent in (set(range(count)), set(range(size - count, size))):
        remark_at(frame, call.lineno, f"{unparse(part)} is sent to rank {peer}, and only what comes from that rank is ever stored "
                  f"there (line {source.lineno})", "These are the cells that hold the neighbour's data: it gets its own values "
                  "back, as old as one step.",
                  f"Send this rank's own outermost cells, {unparse(whole)}[{', '.join([':'] * axis + [inner])}].")


def _elements(part, axis, shape):
    """The indices of a subscript along an axis; None where they are not constants."""
    places = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
    if axis >= len(places):
        return set(range(shape[axis]))
    place = places[axis]
    ends = [place.lower, place.upper, place.step] if isinstance(place, ast.Slice) else [place]
    ends = [one and _constant(one) for one in ends]
    if any(one is _syntax.UNKNOWN for one in ends):
        return None
    found = range(shape[axis])[slice(*ends) if isinstance(place, ast.Slice) else ends[0]]
    return set(found) if isinstance(found, range) else {found}


def _constant(node):
    try:
        return ast.literal_eval(node)
    except ValueError:
        return _syntax.UNKNOWN
