"""Says what repairs an error that ended a rank, where the program's text and its variables show more than the error."""
import ast
import builtins
import math
import os
import re
import sys
from ast import unparse

from . import _notes, _places, _raised, _raised_arrays, _results, _syntax
from ._place import RANK, SIZE, Place, explains, is_comm, is_world
from ._syntax import BOUND, UNKNOWN, argument, called, given, name_of, names_in

_CHECK = re.compile(r"(^|/)tests?/|(^|/)(test_[^/]*|[^/]*_test)\.py$")


def note(error):
    """Notes for the run's report what is known of an error beyond its words."""
    if not _notes._folder or (_notes.rank() is None and not hasattr(error, "lacks")):
        return
    if isinstance(error, SystemExit) and error.__context__ is not None:
        error = error.__context__  # torch.multiprocessing.spawn exits with 1
    frame, line = _places.frame_of_traceback(error.__traceback__)
    place = (frame.f_code.co_filename, line) if frame is not None else ("", 0)
    lacks = getattr(error, "lacks", "")
    if lacks:
        why, advice = "The real library may well have it, and the program may be right.", error.nearest
    elif isinstance(error, SyntaxError) and error.filename:
        why, advice, place = _raised.syntax(error, frame, line)
    else:
        why, advice = explain(error) or ("", "")
    if why or advice:
        _notes.write({"kind": "advice", "file": _places.shown_file(place[0]), "line": place[1], "what": lacks, "why": why,
                      "advice": advice, "lacks": bool(lacks)})


def explain(error):
    """Returns (why, advice) for an error that a line of the program raised; None where nothing is known of it."""
    frame, line = _places.frame_of_traceback(error.__traceback__)
    try:
        place = Place(error, frame, line)
    except Exception:  # there is no line, or the error's words are the program's, which may do anything
        return None
    for rule in RAISED if place.is_raised else RULES:
        try:
            found = rule(place)
        except Exception:  # the program's objects may do anything when they are looked at
            continue
        if found is not None and any(found):
            return found
    return None


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
        error = sys.exc_info()[1]
        if error is not None and _places.is_foreign(sys._getframe(1).f_code):  # torch.multiprocessing gives up, not the program
            note(error)
        else:
            left(_places.innermost())
        return real(*code)
    return exit


def _divides(node):
    """Returns whether a division with a float as its result is in an expression, outside of int() and the like."""
    if called(node) in ("int", "round", "floor", "ceil"):
        return False
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) or any(map(_divides, ast.iter_child_nodes(node)))


def _divisions(place, name, deep=4):
    """The lines of the divisions from which a variable has its value, a float; none where it may have another source."""
    made, lines = place.maker(name), set()
    values = [made] if made else list(given(place.text.node, name)) if deep else ()
    for node, value in values:
        verb = called(value)
        if _divides(value):
            lines.add(node.lineno)
        elif verb in ("recv", "bcast", "scatter"):  # which another rank has sent in this function
            sent = [one for call in ast.walk(place.text.node) if called(call) in _syntax.SENDS | {"bcast"} and call.args
                    for one in names_in(call.args[0]) if one != name]
            lines.update(line for one in sent for line in _divisions(place, one, deep - 1))
        else:
            lines.update(line for one in names_in(value) if one != name and isinstance(place.value(one), float)
                         for line in _divisions(place, one, deep - 1))
    caller, arguments = place.caller() if not values and name in place.text.parameters and deep else (None, {})
    if name in arguments:
        if _divides(arguments[name]):
            return [caller.line]
        lines.update(line for one in names_in(arguments[name]) for line in _divisions(caller, one, deep - 1))
    return sorted(lines)


@explains((TypeError, IndexError), r"'float' object cannot be interpreted|slice indices must be integers|only integers, slices|"
          r"of type '?float|single integer, got '\d+\.|'numpy\.float\d*' object cannot be interpreted|"
          r"indices must be integers or slices, not float|must be (real )?int\w*, not float|a rank is an integer, not", ours=True)
def _float(place, told):
    if _divides(place.node):
        return "The operator / gives a float, also where nothing is left over.", f"Write // {place.at}, which divides integers."
    for name in place.names():
        lines = _divisions(place, name) if isinstance(place.value(name), float) else ()
        if lines:
            also = "".join(f" and in line {other}" for other in lines[1:])
            return f"{name} is {place.value(name)}, a float: the division in line {lines[0]} gives one, also where nothing is " \
                "left over.", f"Write // in line {lines[0]}{also}, which divides integers."
    return None


@explains(Exception)
def _root_argument(place, told):
    """An argument that only the root's call needs, and that cannot be made on another rank."""
    for call in place.text.calls(place.line, {"scatter", "bcast"}):
        (rank, _), made = place.root(call), call.args[0] if call.args else None
        if made is None or isinstance(made, ast.Name) or place.exact not in ast.walk(made) or not isinstance(rank, int) or \
                not is_world(place.value(getattr(call.func, "value", None))) or rank == _notes.rank():
            continue
        empty = [name for name in names_in(place.exact) if place.value(name) is None]
        if empty or isinstance(place.error, NameError) and place.skipped(place.error.name):
            mine = [name for name in [*place.frame.f_locals, *place.frame.f_globals]
                    if RANK.fullmatch(name) and place.value(name) == _notes.rank()]
            return (f"{empty[0]} is None on this rank; t" if empty else "T") + \
                "he argument is made on all ranks, though only the root's counts.", \
                f"Give {unparse(made)} if {[*mine, 'comm.rank'][0]} == {rank} else None."
    return None


@explains(Exception, "NoneType|message truncated|expecting 1 to 4 items|None is no buffer", ours=True)
def _whole_for_part(place, told):
    """A whole array that is used where this rank's part of it, which a scatter has brought, is meant."""
    for name in place.names():
        made = place.maker(name)
        second = made is not None and isinstance(made[1], ast.Name)
        whole, at = (made[1].id, made[0].lineno) if second else (name, place.line)
        for call in ast.walk(place.text.node) if place.value(whole) is None or told[0] == "message truncated" else ():
            if called(call) not in ("Scatter", "Scatterv", "scatter") or not call.args or call.end_lineno >= at or \
                    names_in(call.args[0])[:1] != [whole]:
                continue
            target = _syntax.target_of(place.text.statement(call)) if called(call) == "scatter" else None
            part = name_of(target) if target is not None else ([""] + names_in(_syntax.filled(call)))[-1]
            if part and part != whole and part not in place.names():
                return f"{whole} is all ranks' data, and on the root alone; line {at} takes it, though this rank's part is " \
                    f"{part} ({called(call)} in line {call.lineno}).", f"Write {part} for {whole} in line {at}."
    return None


@explains(Exception, "None has no room", ours=True)
def _no_room(place, told):
    for name in place.names(None):
        for node, value in given(place.text.node, name):
            if _syntax.is_none(value) and node.lineno < place.line:
                return f"{name} is None on this rank (line {node.lineno}), and has no room for what comes.", \
                    f"Write {name} = numpy.empty(...) in line {node.lineno}, with the shape and the type that the root's array has."
    return None


@explains(Exception, r"scatter: invalid tensor size at index \d+ of scatter_list \(expected \((\d+)\b.*got \((\d+)", ours=True)
def _unequal_chunks(place, told):
    """Parts of which the last is smaller, since the whole cannot be divided among the ranks."""
    parts = argument(place.call("scatter"), "scatter_list", 1)
    node, value = place.source(parts.id) or (place.statement, None) if isinstance(parts, ast.Name) else (place.statement, parts)
    value = value.args[0] if called(value) == "list" and value.args else value
    if called(value) not in ("chunk", "tensor_split") or not isinstance(value.func, ast.Attribute):
        return None
    whole, rows = unparse(value.func.value), place.shape(value.func.value)[:1]
    return (f"{unparse(parts)} (line {node.lineno}) are unequal: {called(value)} cannot divide the {rows[0]} rows of {whole} among "
            f"{_notes.size()} ranks, and a scatter's parts have one size.",
            f"Fill {whole} up to {int(told[1]) * _notes.size()} rows before line {node.lineno}, as with torch.cat([{whole}, "
            f"{whole}.new_zeros(...)]).") if rows and rows[0] % _notes.size() else None


@explains(Exception, "invalid tensor type at index|tensors with different dtypes", ours=True)
def _numpys_type(place, told):
    """Tensors made of NumPy's arrays, whose numbers have twice the bits."""
    wanted, kind = re.findall(r"torch\.\w+", place.words)[:2]
    for name in names_in(place.call("scatter", "gather", "all_gather", "reduce_scatter")):
        for made in (inner for _, value in given(place.text.node, name) for inner in ast.walk(value)):
            if called(made) in ("from_numpy", "as_tensor"):
                return f"{unparse(made)} in line {made.lineno} keeps NumPy's type, {kind}; the other side is {wanted}.", \
                    f"Write {unparse(made)}.to({wanted}) in line {made.lineno}."
    return None


@explains(Exception, "Split sizes doesn't match total dim 0 size", ours=True)
def _swapped_sizes(place, told):
    """The sizes of the parts that are sent and received, the wrong way round."""
    call = place.call("all_to_all_single")
    buffers = [argument(call, "output", 0), argument(call, "input", 1)]
    sizes = [argument(call, "output_split_sizes", 2), argument(call, "input_split_sizes", 3)]
    if None in buffers + sizes:
        return None
    sums, rows = [sum(place.value(one)) for one in sizes], [place.shape(one)[0] for one in buffers]
    sent, kept = unparse(sizes[1]), unparse(sizes[0])
    return (f"{unparse(buffers[0])} has {rows[0]} rows, which is the sum of {sent}, and {unparse(buffers[1])} has {rows[1]}, "
            f"which is the sum of {kept}: the two lists of sizes (line {sizes[0].lineno}) are the wrong way round.",
            f"Write output_split_sizes={sent}, input_split_sizes={kept} in line {sizes[0].lineno}."
            ) if sums == rows[::-1] else None


@explains(Exception, "^new_group: this rank", ours=True)
def _order_of_groups(place, told):
    """Groups that each rank makes in an order of its own."""
    caller, arguments = place.caller()
    for where, nodes in ((place, [one for call in place.text.calls(place.line, {"new_group"}) for one in call.args]),
                         (caller, arguments.values())):
        for node in nodes if where is not None and where.text.loops(where.statement) else ():
            ranks = [one for one in ast.walk(node) if RANK.fullmatch(name_of(one)) and where.value(one) == _notes.rank()]
            if ranks:
                return f"Line {where.line} makes the groups in an order that begins at the rank ({unparse(node)}), so that the " \
                    "ranks call new_group for different groups at a time.", \
                    f"Write {unparse(node)} in line {where.line} without {unparse(ranks[0])}: all ranks go through all " \
                    "groups in one order."
    return None


@explains(Exception, "NoneType", ours=True)
def _none_here(place, told):
    """A variable that is None, where the text shows why."""
    for name in place.names(None):
        for rule in (_root_only, _overwritten, _never_given, _in_the_list, _wrong_root, _elsewhere):
            if found := rule(place, name):
                return found
    return None


def _overwritten(place, name):
    return _results.overwritten_branch(place.text.tree, name, _notes.rank(), place.line)


def _root_only(place, name):
    """A variable that is None because the root alone has what a call returns."""
    node, value = place.source(name) or (None, None)
    verb, function = called(value), getattr(value, "func", None)
    comm = place.value(function.value) if verb in ("gather", "reduce") and isinstance(function, ast.Attribute) else None
    root, shown = place.root(value) if is_comm(comm) else (UNKNOWN, "")
    return None if root is UNKNOWN or root == comm.rank else (
        f"{name} is None on this rank: {verb} in line {node.lineno} returns the result on its root only.",
        f"Use {name} on the root only (if rank == {shown}:), or call all{verb}.")


def _called_text(place, call):
    """The syntax of the function of the program that a call calls; None of other things."""
    code = _syntax.code_of(place.value(call.func)) if isinstance(call, ast.Call) else None
    return _syntax.text_of(code) if code is not None else None


def _in_the_list(place, name):
    """A variable that is None because what a broadcast has brought is in its list, which a function does not return."""
    caller, arguments = place.caller() if name in place.text.parameters and not place.text.stores(name) else (None, {})
    if isinstance(arguments.get(name), ast.Name):
        return _in_the_list(caller, arguments[name].id)
    text = _called_text(place, (place.source(name) or (None, None))[1])
    lists = [call.args[0] for call in ast.walk(text.node) if called(call) == "broadcast_object_list" and call.args] if text else []
    for node in ast.walk(text.node) if len(lists) == 1 and isinstance(lists[0], ast.Name) else ():
        given_back = node.value if isinstance(node, ast.Return) else None
        if isinstance(given_back, ast.Name) and given_back.id in text.parameters and not text.stores(given_back.id):
            return f"{name} is None on this rank: line {node.lineno} returns {given_back.id} as it was handed in, and " \
                f"broadcast_object_list in line {lists[0].lineno} fills {lists[0].id}.", \
                f"Write return {lists[0].id}[0] in line {node.lineno}."
    return None


def _never_given(place, name):
    """A variable that is None because a function of the program returns nothing."""
    at, value = place.source(name) or (None, None)
    text = _called_text(place, value)
    if text is None or any(isinstance(one, (ast.Return, ast.Yield)) for one in ast.walk(text.node)):
        return None
    last = _syntax.target_of(text.node.body[-1])
    result = f"return {last.id}" if isinstance(last, ast.Name) else "return and its result"
    return f"{name} is None: {text.node.name}, which line {at.lineno} calls, has no return, so it returns nothing.", \
        f"End {text.node.name} with {result} (after line {text.node.end_lineno})."


def _wrong_root(place, name):
    """A variable that is None because the root of a broadcast had None, while another rank had the data."""
    node, value = place.maker(name) or (place.statement, getattr(place.statement, "value", None))
    if called(value) not in ("bcast", "scatter") or not value.args or name_of(value.args[0]) != name:
        return None
    root, _ = place.root(value)
    for branch in ast.walk(place.text.node) if isinstance(root, int) else ():
        asked, rank = _syntax.equation(branch)
        if asked is not None and rank != root and place.value(asked) == _notes.rank():
            for inner, it in given(ast.Module(branch.body, []), name):
                if not _syntax.is_none(it):
                    return f"{name} is None: its {called(value)} in line {node.lineno} sends what rank {root} " \
                        f"has, and only rank {rank} gives it a value (line {inner.lineno}).", \
                        f"Write root={rank} in line {node.lineno}."
    return None


def _elsewhere(place, name):
    """A variable that is None because it gets a value on other ranks only."""
    made = place.maker(name)
    at = place.skipped(name) if made is None or isinstance(made[1], ast.Constant) else 0
    return (f"{name} is None on this rank: line {at} gives it a value on other ranks only.",
            f"Use {name} only there, or bring it to all ranks first: {name} = comm.bcast({name}, root=0).") if at else None


@explains((NameError, TypeError, AttributeError))
def _left_out(place, told):
    """A variable that comes from a collective which stands under a condition, so that this rank does not call it."""
    names = place.names()
    for node, skipped, taken in place.branches(place.text.node):
        if node.lineno > place.line:
            continue
        made = {called(call) for part in taken for call in ast.walk(part)}
        for one in (inner for part in skipped for inner in ast.walk(part)):
            name = name_of(_syntax.target_of(one)) if isinstance(one, ast.Assign) else ""
            verb, function = (called(one.value), getattr(one.value, "func", None)) if name in names else ("", None)
            if verb in BOUND - {"recv", "sendrecv"} - made and is_world(place.value(getattr(function, "value", None))):
                return f"{name} is what {verb} in line {one.lineno} returns, and this rank leaves that call out, by the " \
                    f"condition in line {node.lineno}; all ranks have to make it.", \
                    f"Take line {one.lineno} (and the other calls of all ranks there) out of the if and else of line " \
                    f"{node.lineno}."
    return None


def _fixed(place, pattern):
    """(line, name, value) of each variable that the text sets to a number, and whose name is one of a pattern."""
    return [(node.lineno, name_of(node.targets[0]), node.value.value) for node in ast.walk(place.text.tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and type(node.value.value) is int and
            pattern.fullmatch(name_of(node.targets[0]))]


@explains(Exception, "each process needs a rank of its own", ours=True)
def _one_rank_for_all(place, told):
    """A rank that is a number in the program, so that all processes claim it."""
    for line, name, value in _fixed(place, RANK):
        return f"Line {line} makes {name} {value} in every process.", f'Write {name} = int(os.environ["RANK"]) in line {line}.'
    return None


@explains(Exception, "MPI_ERR_RANK", ours=True)
def _fixed_size(place, told):
    """A number of ranks that the program's text fixes, and that is not the one it was started with."""
    for line, name, value in _fixed(place, SIZE):
        if value != _notes.size() > 0:
            return f"Line {line} fixes {name} at {value}, and the program runs with {_notes.size()} ranks.", \
                f"Write {name} = comm.Get_size() in line {line}, or start the program with -n {value}."
    return None


@explains(Exception, "MPI.COMM_NULL", ours=True)
def _null_communicator(place, told):
    """A communicator that this rank is not in."""
    for name in names_in(place.statement):
        node, value = place.source(name) or (None, None)
        verb = called(value)
        if verb in ("Create_cart", "Split", "Create", "Sub") and not place.value(name):
            dims = place.value(value.args[0]) if verb == "Create_cart" and value.args else UNKNOWN
            places = math.prod(dims) if isinstance(dims, (list, tuple)) else dims
            known = isinstance(places, int)
            return f"{name} is MPI.COMM_NULL on this rank: {verb} in line {node.lineno} leaves it out" + (
                f", since the grid has {places} places." if known else "."), \
                f"Let only the ranks that are in it go on (if {name} != MPI.COMM_NULL:)" + (
                f", or start the program with -n {places}." if known else ".")
    return None


@explains(TypeError, "can't multiply sequence by non-int|unsupported operand type", ours=True)
def _not_combined(place, told):
    """Objects that a reduction's operator cannot combine."""
    for call in place.text.calls(place.line, {"reduce", "allreduce", "scan", "exscan"}):
        operator = argument(call, "op", 1)
        name = name_of(operator) if operator is not None else "SUM"
        sent = place.value(call.args[0]) if call.args and name in ("SUM", "PROD") else None
        sign, kind = "*" if name == "PROD" else "+", type(sent).__name__
        if f"'{kind}' and '{kind}'" in place.words or f"non-int of type '{kind}'" in place.words:
            return f"{name} combines the ranks' objects with {sign}, and a {kind} {sign} a {kind} does not exist.", \
                f"Give numbers or arrays: numpy.array({unparse(call.args[0])}) is combined element by element." \
                if isinstance(sent, (tuple, list)) else f"Give {called(call)} numbers or arrays."
    return None


@explains(ZeroDivisionError)
def _zero(place, told):
    """A division by a variable that stays 0 because what was sent from it is received into another."""
    for name in place.names():
        tags = [_syntax.tag_of(call) for call in _syntax.sends_of(place.text.node, name)] if place.value(name) == 0 else ()
        for node in ast.walk(place.text.node) if len(tags) == 1 and tags[0] else ():
            value = getattr(node, "value", None)
            if isinstance(node, ast.Assign) and called(value) == "recv" and _syntax.tag_of(value) == tags[0] and \
                    (other := name_of(node.targets[0])) != name:
                return f"{name} is 0 on this rank: what is sent from it is received as {other} (line {node.lineno}).", \
                    f"Write {name} = {unparse(value)} in line {node.lineno}."
    return None


@explains(TypeError, "'Request'")
def _request(place, told):
    """A request that is taken for its message."""
    for node in ast.walk(place.text.tree):
        if isinstance(node, ast.Return) and isinstance(node.value, (ast.Name, ast.Tuple)):
            names = [name for name in names_in(node.value) if any(
                called(value) == "irecv" for _, value in given(place.text.tree, name))]
            if names:
                return "irecv returns a request; the message is what its wait() returns.", \
                    f"Write return {', '.join(f'{name}.wait()' for name in names)} in line {node.lineno}."
    return "isend and irecv return a request; the message of an irecv is what its wait() returns.", \
        "Call wait() on what irecv returned, and use what that returns."


@explains(TypeError, "can't assign a list to")
def _list_for_tensor(place, told):
    for name in names_in(place.statement):
        made = place.maker(name)
        if made is not None and isinstance(made[1], ast.List) and isinstance(place.value(name), list):
            return f"{name} is a list (line {made[0].lineno}): += appends a tensor's elements to it and adds nothing.", \
                f"Begin with a tensor in line {made[0].lineno}, as in {name} = torch.zeros_like(...), or a clone() of the " \
                "rank's own data."
    return None


@explains(FileNotFoundError)
def _no_file(place, told):
    file = place.error.filename
    return ("", f"Put {file} where the program looks for it" + (
        "" if os.path.isabs(str(file)) else f" (the folder {os.getcwd()})") + ", or correct its path.") if file else None


@explains(TypeError, r"\.([A-Z]\w+)\(\) missing .*'recvbuf'", ours=True)
def _no_room_given(place, told):
    lower = told[1].lower()
    return f"{told[1]} takes arrays, one to send and one to receive into; {lower} takes any object and returns the result.", \
        f"Write {lower} {place.at}, or give it an array to receive into."


@explains(Exception, r"truncated: (\d+) bytes from rank (\d+) do not fit into (\d+) elements of (\d+) bytes", ours=True)
def _counts_of_parts(place, told):
    """A count of the v-forms that is not the length of what that rank sends."""
    into = argument(place.call("Gatherv"), "recvbuf", 1)
    whole = [value for _, value in given(place.text.node, into.id)] if isinstance(into, ast.Name) else [into]
    counts = next(one.elts[1] for one in whole if isinstance(one, (ast.List, ast.Tuple)) and len(one.elts) > 1)
    made = [node.lineno for node, _ in given(place.text.node, name_of(counts))] or [counts.lineno]
    sent = argument(place.call("Gatherv"), "sendbuf", 0)
    sent = sent.elts[0] if isinstance(sent, (ast.List, ast.Tuple)) else sent
    shown = unparse(counts)
    return f"Rank {told[2]} sends {int(told[1]) // int(told[4])} elements, and {shown} (line {made[0]}) has {told[3]} for it.", \
        f"Let each rank say what it sends, on all ranks before line {place.line}: {shown} = comm.gather({unparse(sent)}.size), and " \
        f"give each part its place behind those before it. Or compute line {made[0]} as the ranks compute their parts."


@explains(Exception, r"(\d+) elements cannot be divided among (\d+) ranks", ours=True)
def _unequal_parts(place, told):
    fitting = [n for n in range(2, int(told[1]) + 1) if int(told[1]) % n == 0]
    return f"Each rank gets an equal part, and {told[1]} / {told[2]} leaves a rest.", "Call the form with counts (Scatterv, " \
        "Gatherv), or fill up the array" + (f"; or start the program with -n {fitting[0]}." if fitting else ".")


@explains(Exception, r"expecting (\d+) items, got (\d+)", ours=True)
def _items_for_ranks(place, told):
    call = place.call("scatter", "alltoall")
    sent = argument(call, "sendobj", 0)
    sent = getattr(sent, "body", sent)  # of x if rank == 0 else None, what the root gives
    shown = unparse(sent) if sent is not None else "it"
    things = place.value(sent) if sent is not None else None
    if isinstance(things, str):
        return f"{shown} is a text of {told[2]} characters, and each would go to one rank.", \
            f"Give a list with one item for each rank, as {shown}.split() does with {len(things.split())} words."
    return (f"{shown} has {told[2]} items, and each rank gets one.",
            f"Divide it into one part for each rank: numpy.array_split({shown}, {told[1]}), or [{shown}[i::{told[1]}] for i "
            f"in range({told[1]})]; or start the program with -n {told[2]}."
            ) if int(told[2]) > int(told[1]) and called(call) == "scatter" else None


def ranks_named(file):
    """The highest rank that a program's text names, and the ranks that it goes through as partners in a loop over a list."""
    tree = _syntax.tree_of(file)
    found, partners, listed = {0}, set(), set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Compare) and RANK.search(unparse(node.left)):
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


@explains(Exception)
def _refused(place, told):
    """An error that the program raises itself, because of its number of ranks."""
    tests, last, statement = [], False, place.statement
    if isinstance(statement, ast.Assert):
        tests = [statement.test]
    elif isinstance(statement, ast.Raise):
        for outer, inner in place.text.above(statement):  # the conditions of one chain of if, elif, else
            if not isinstance(outer, ast.If) or (tests and inner not in outer.orelse):
                break
            last = last if tests else inner in outer.orelse
            tests.append(outer.test)
    shown = " ".join(unparse(one) for one in tests)
    wanted, size = [int(one) for one in re.findall(r"(?:==|!=)\s*(\d+)", shown)], _notes.size()
    why = f"The program itself refuses this: {unparse(statement).splitlines()[0][:100]}." if tests else ""
    if SIZE.search(shown):
        return why, f"Start it with -n {wanted[0]}." if wanted and wanted[0] != size else \
            "Start it with the number of ranks that this condition asks for."
    if last and RANK.search(shown) and wanted and max(wanted) + 1 < size:
        return why, f"It has work for ranks 0 to {max(wanted)} only: start it with -n {max(wanted) + 1}."
    return None


@explains(AssertionError)
def _check(place, told):
    file, statement = place.frame.f_code.co_filename.replace(os.sep, "/"), place.statement
    where = f"{os.path.basename(file)}:{place.line}"
    if _CHECK.search(file):
        return "A test's comparison failed. It is the tested code that is wrong there, not the test's line.", \
            f"Look at what {where} compares, and follow it back to the code that the test calls."
    for name in names_in(statement.test) if isinstance(statement, ast.Assert) and \
            place.error.__traceback__.tb_frame is place.frame else ():
        if place.value(name) is None and (found := _root_only(place, name)):
            return found
    return f"The program's own check at {where} failed.", \
        f"Look at what the check compares: {unparse(statement).splitlines()[0][:120]}"


# The rules, the most special first; and those for what the program raises itself, whose words are its own.
RULES = (_no_room, _unequal_chunks, _numpys_type, _swapped_sizes, _order_of_groups, _whole_for_part, _root_argument,
         _one_rank_for_all, _fixed_size, _null_communicator, _left_out, _float, _none_here, _refused, _check, _zero, _request,
         _list_for_tensor, _not_combined, _no_file, _no_room_given, _unequal_parts, _items_for_ranks, _counts_of_parts,
         *_raised.RULES, *_raised_arrays.RULES, _raised.values)
RAISED = (_refused, _check, _raised.values)
