"""Finds, by the text around a call, that its result is used where it is not: on other ranks than the root, before it is
there, or after a later one has taken its place."""
import ast
import math
import re
from ast import unparse

from . import _memory, _notes, _syntax
from ._notes import remark_at
from ._place import RANK, SIZE, is_world
from ._syntax import called, name_of, variables


def look_at_none(frame, text, call, statement, verb, root):
    """Looks at a result that is None."""
    if not is_world(_syntax.evaluated(frame, getattr(call.func, "value", None))):
        return
    name = name_of(statement.targets[0]) if isinstance(statement, ast.Assign) and statement.value is call else ""
    if verb in ("reduce", "gather") and len(text.stores(name)) == 1:
        branch, line = _used_by(frame, text, statement, name)
        if line:
            _remark_beside_root(frame, line, f"{name} is None there", branch, statement, verb, root)
    elif verb == "bcast":
        given = name_of(call.args[0]) if call.args else ""
        found = overwritten_branch(text.tree, given, root, statement.lineno)
        if found is not None:
            remark_at(frame, statement.lineno, f"bcast brings None, which {given} is on rank {root} by then", *found)


def look_beside_root(frame, text, call, statement, verb, name, root):
    """Looks at memory that a call fills on the root only."""
    of_all = is_world(_syntax.evaluated(frame, getattr(call.func, "value", None)))
    branch, line = _used_by(frame, text, statement, name) if of_all else (None, 0)
    changed = [one.lineno for one in variables(text.node, name) if isinstance(one.ctx, ast.Store) or text.is_stored_to(one) or
               any(_syntax.filled(outer) for outer, _ in text.above(one))] if line else ()
    if line and not any(statement.end_lineno < at <= line for at in changed):
        _remark_beside_root(frame, line, f"{name} is as it was before", branch, statement, verb, root)


def _remark_beside_root(frame, line, what, branch, statement, verb, root):
    rank = _notes.rank()
    remark_at(frame, line, f"{what}: {verb} in line {statement.lineno} gives its result to rank {root} only",
              f"Line {branch.lineno} asks for rank {rank}, which is not the root of that call.",
              f"Let rank {root} use it, or write root={rank} in line {statement.lineno}.", True)


def _used_by(frame, text, statement, name):
    """The condition after a statement that asks for this very rank, and the line in it that uses a variable; (None, 0) without
    one."""
    for branch in ast.walk(text.node):
        asked, rank = _syntax.equation(branch)
        if rank is None or rank != _notes.rank() or frame.f_locals.get(getattr(asked, "id", None)) != rank or \
                not text.may_follow(branch, statement):
            continue
        for one in [inner for line in branch.body for inner in variables(line, name)]:
            if not isinstance(text.parents[one], ast.Compare) and not text.is_stored_to(one):
                return branch, one.lineno
    return None, 0


def overwritten_branch(tree, name, rank, before):
    """(why, advice) about a variable that `if rank == 0` sets and the else of the next condition sets to None again; None
    without such lines."""
    for block in [getattr(node, field, None) for node in ast.walk(tree) for field in ("body", "orelse")]:
        for first, second in zip(block, block[1:]) if isinstance(block, list) else ():
            asked, one = _syntax.equation(first)
            other, two = _syntax.equation(second)
            if asked is None or other is None or one != rank or two == rank or first.orelse or second.end_lineno >= before or \
                    ast.dump(asked) != ast.dump(other):
                continue
            stores = [line for line in second.orelse if isinstance(line, ast.Assign) and _syntax.is_none(line.value) and any(
                name_of(target) == name for target in line.targets)]
            if stores and any(variables(line, name, ast.Store) for line in first.body):
                return f"Line {stores[0].lineno} sets it to None on all ranks but {two}, also on rank {rank}, which line " \
                    f"{first.lineno} gave its data: line {second.lineno} begins a condition of its own.", \
                    f"Write elif in line {second.lineno}."
    return None


def look(frame, text, call, statement, verb, given):
    """Looks at a result that is assigned to a variable."""
    if verb == "bcast":
        _unread(frame, text, call, statement, given)
    elif verb in ("reduce", "allreduce"):
        _too_early(frame, text, call, statement, verb)
    elif verb == "recv":
        _only_last(frame, text, call, statement)
        _lost_step(frame, text, statement)


def _unread(frame, text, call, statement, given):
    """A broadcast whose result no line reads, while the variable that was handed in, which has nothing here, is read."""
    name, result = name_of(call.args[0]) if call.args else "", statement.targets[0].id
    if not name or name == result or given is not None or text.is_read(result):
        return
    if used := text.used_after(name, statement):
        remark_at(frame, used[0].lineno, f"{name} stays None there: what bcast brought in line {statement.lineno} is {result}, "
                  "which no line reads", "bcast returns what the root has sent; what the other ranks hand in is not changed.",
                  f"Use {result} in line {used[0].lineno}, or write {name} = {unparse(call)}.", True)


def _too_early(frame, text, call, statement, verb):
    """A reduction of a zero to which only later lines add, while no line reads the result."""
    name, result = name_of(call.args[0]) if call.args else "", statement.targets[0].id
    value = frame.f_locals.get(name)
    if not isinstance(value, (int, float)) or value != 0 or text.loops(statement) or text.is_read(result):
        return
    for later in ast.walk(text.node):
        if isinstance(later, ast.AugAssign) and name_of(later.target) == name and later.lineno > statement.end_lineno:
            remark_at(frame, statement.lineno, f"{verb} is given {name} before line {later.lineno} computes it: it is 0 here",
                      f"The call takes what {name} is now, and nobody reads its result, {result}.",
                      f"Move this line behind the lines that compute {name}, and use {result} from there on.")
            return


def _only_last(frame, text, call, statement):
    """Messages of a loop over ranks that all come into one variable, which is read only behind the loop."""
    loop, name = text.parents.get(statement), statement.targets[0].id
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or statement not in loop.body or loop.orelse or \
            not variables(call, loop.target.id, ast.Load) or any(variables(line, name, ast.Load) for line in loop.body):
        return
    turns = _syntax.evaluated(frame, loop.iter)
    used = [node.lineno for node in text.used_after(name, loop)]
    if used and hasattr(turns, "__len__") and len(turns) > 1:
        remark_at(frame, statement.lineno, f"each message that comes here replaces the one before in {name}, and line "
                  f"{min(used)} uses the last one only", f"The loop in line {loop.lineno} receives {len(turns)} messages.",
                  f"Use {name} inside of the loop: indent line {min(used)}, or append what comes to a list.", True)


def _lost_step(frame, text, statement):
    """A step at the end of a loop whose variable the loop's receive overwrites before anything else reads it."""
    loop, name = text.parents.get(statement), statement.targets[0].id
    if not isinstance(loop, ast.While) or statement not in loop.body or not variables(loop.test, name, ast.Load):
        return
    before, after = loop.body[:loop.body.index(statement)], loop.body[loop.body.index(statement) + 1:]
    last = after[-1] if after else None
    if not isinstance(last, (ast.Assign, ast.AugAssign)) or name_of(_syntax.target_of(last)) != name or \
            any(variables(line, name) for line in before) or any(variables(line, name, ast.Store) for line in after[:-1]) or \
            any(isinstance(one, (ast.Break, ast.Return)) for line in loop.body for one in ast.walk(line)):
        return
    if any(_syntax.sends_of(line, name) for line in after):
        remark_at(frame, last.lineno, f"what this line makes of {name} is sent to nobody: the receive in line "
                  f"{statement.lineno} overwrites it in the next turn",
                  f"This rank sends {name} on as it came, so its step never counts; where others do the same, the loop in line "
                  f"{loop.lineno} does not end.", f"Move line {last.lineno} before the send.", True)


def averaged(frame, text, call):
    """Looks at a call that may average the means of the ranks' parts."""
    node = call.args[0] if call.args else None
    made = [value for _, value in _syntax.given(text.node, name_of(node))] if isinstance(node, ast.Name) else ()
    node = made[0] if len(made) == 1 else node
    while called(node) in ("array", "asarray", "tensor", "float") and node.args or len(getattr(node, "elts", ())) == 1:
        node = (getattr(node, "args", None) or node.elts)[0]
    whole = node.args[0] if getattr(node, "args", ()) else getattr(getattr(node, "func", None), "value", None)
    shape, operator = _memory.shape_of(_syntax.evaluated(frame, whole)), _syntax.argument(call, "op")
    words = unparse(whole) + unparse(call)
    if called(node) == "mean" and len(node.args) < 2 and not node.keywords and shape and not re.search("loss|grad|err", words) and (
            operator is None or name_of(operator) == "SUM") and any(
                isinstance(one, (ast.BinOp, ast.AugAssign)) and isinstance(one.op, ast.Div) and _syntax.evaluated(
                    frame, getattr(one, "right", getattr(one, "value", None))) == _notes.size() for one in ast.walk(text.node)):
        shown = unparse(whole)
        _notes.remark((frame.f_code.co_filename, node.lineno), f"the mean of the ranks' means of {shown} (line {call.lineno}) is not "
                      f"the mean of all, since the ranks have different numbers of elements, {math.prod(shape)} on this one",
                      "Each rank's mean counts alike, however few elements it is of.", f"Sum {shown}.sum() and the number of "
                      "elements over the ranks, and divide the one by the other.", state=str(shape))


def inclusive(frame, text, call, target, given):
    """Looks at whether a sum over the ranks up to this one, itself counted, is taken for where this rank's part begins."""
    name, part = name_of(target), unparse(call.args[0])
    # It may be the next part's begin, or made this one's: by a subtraction, in a function or on the rank that is handed it.
    moves = _syntax.SENDS | _syntax.BOUND | {one.name for one in ast.walk(text.tree) if isinstance(one, ast.FunctionDef)}
    if type(given) is int and given > 0 and len(call.args) == 1 and not call.keywords and re.search(
            "start|begin|offset|displ", name, re.I) and not re.search("next|end|stop|after", name, re.I) and re.search(
            "len|size|shape|count|num|rows|local|mine", part) and not any(name in map(name_of, ast.walk(one)) and (
                isinstance(getattr(one, "op", None), ast.Sub) or called(one) in moves) for one in ast.walk(text.tree)):
        remark_at(frame, call.lineno, f"{name} is where this rank's part ends, and not where it begins: scan counts the {given} of "
                  "this rank, too", "scan sums what the ranks up to this one give, itself included; exscan leaves it out.",
                  f"Write {unparse(target)} = {unparse(call)} - {part}.")


def turned(frame, text, call, step):
    """Looks at whether the two ranks of a grid that Shift returns have names of the other direction."""
    targets = getattr(_syntax.target_of(text.statement(call)), "elts", ())
    # The rank that sends to this one comes first, which for a step upwards is the lower neighbour.
    words = ["left|west|prev", "right|east|next"][::1 if step < 0 else -1]
    names = [name_of(one) for one in targets]
    if len(names) != 2 or not step or not all(map(re.search, words, map(str.lower, names))):
        return
    ends = [one for one in ast.walk(text.tree) if called(one).lower() in _syntax.SENDS | {"sendrecv"} and one.args and
            "[-2" in unparse(one.args[0]) and name_of(_syntax.argument(one, "dest", 1)) == names[step < 0]]
    remark_at(frame, call.lineno, f"{names[0]} and {names[1]} are the other way round: Shift returns the rank that sends to this "
              f"one first, which for a step of {step} is the {'lower' if step > 0 else 'upper'} neighbour",
              f"Line {ends[0].lineno} sends this rank's upper end to its lower neighbour." if ends else
              "Where it matters which is which, data goes the wrong way.",
              f"Write {unparse(targets[1])}, {unparse(targets[0])} = {unparse(call)}.", not ends)


def left_over(frame, text):
    """Looks at the functions that a function of the program calls, and itself: a division of data among the ranks whose rest no
    rank gets."""
    size, called_here = _notes.size(), {called(one): one for one in ast.walk(text.node) if isinstance(one, ast.Call)}
    own = [one for one in ast.walk(text.tree) if isinstance(one, ast.FunctionDef) and one.name in called_here and (
        one in text.tree.body or getattr(getattr(called_here[one.name].func, "value", None), "id", "") == "self")]
    for function in [text.node, *own]:
        call = called_here[function.name] if function is not text.node else None
        given = _syntax.bound(function, call) if call is not None else {}
        for node in ast.walk(function):
            value = getattr(node, "value", None)
            if not isinstance(node, ast.Assign) or not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.FloorDiv) or \
                    size < 2 or name_of(value.right) in given or _syntax.evaluated(frame, value.right) != size:
                continue
            whole = ast.parse(unparse(value.left), mode="eval").body
            for one in ast.walk(whole):
                if isinstance(one, ast.Name) and one.id in given and isinstance(given[one.id], ast.Name):
                    one.id = given[one.id].id
            whole = given.get(getattr(whole, "id", None), whole)
            total, part = _syntax.evaluated(frame, whole), name_of(node.targets[0])
            if type(total) is int and 0 < size <= total and total % size and _goes_by_ranks(function, part) and \
                    not _gives_rest(text.tree, unparse(value.right)):
                ends = [one.lineno for one in ast.walk(function) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add) and
                        part in (name_of(one.left), name_of(one.right))] or [node.lineno]
                remark_at(frame, ends[0], f"{unparse(value)} in line {node.lineno} is {total // size} for {total} and {size} "
                          f"ranks, so that no rank gets the last {total % size}", "Each rank takes as many, from its rank times "
                          "this number on, and no line gives the rest to any.", f"Let the last rank's part end at "
                          f"{unparse(value.left)}, or part r begin at r * {unparse(value.left)} // "
                          f"{unparse(value.right)} and end where part r + 1 begins.")
                return


def _goes_by_ranks(function, part):
    """Returns whether a function makes the first index of a rank's part as its rank times the part's length."""
    return any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult) and part in (name_of(one.left), name_of(one.right)) and
               any(RANK.fullmatch(name_of(side)) for side in (one.left, one.right)) for one in ast.walk(function))


def _gives_rest(tree, size):
    """Returns whether a program has any line that may give the rest of a division to a rank."""
    ranks = f"({re.escape(size)}|{SIZE.pattern})"
    return any(isinstance(getattr(one, "op", None), ast.Mod) and not isinstance(getattr(one, "left", None), ast.Constant)
               for one in ast.walk(tree)) or bool(re.search(
                   rf"\b(divmod|min|array_split)\(|{ranks} - 1\b|\+ 1 [=<>!]+ {ranks}|{ranks} [=<>!]+ \w+ \+ 1|- \w+ \* {ranks}|"
                   rf"- {ranks} \* |\[:\w+ \* {ranks}|\[-1\] \+?= ", unparse(tree), re.I))
