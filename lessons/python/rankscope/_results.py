"""Finds, by the text around a call, that its result is used where it is not: on other ranks than the root, before it is
there, or after a later one has taken its place."""
import ast
import re
import sys

from . import _lost, _notes

_FILLS = re.compile(r"I?(Bcast|Recv|Sendrecv|Scatterv?|Gatherv?|Allgatherv?|Reduce|Allreduce|Alltoallv?|Scan)$")


def look_at_none(frame, text, call, statement, verb, root):
    """Looks at a result that is None."""
    if not _in_world(frame, call):
        return
    name = _lost._name(statement.targets[0]) if isinstance(statement, ast.Assign) and statement.value is call else ""
    if verb in ("reduce", "gather") and len(text.stores(name)) == 1:
        branch, line = _used_by(frame, text, statement, name)
        if line:
            _lost._remark(frame, line, f"{name} is None there: {verb} in line {statement.lineno} gives its result to the root "
                          "only", f"Line {branch.lineno} asks for rank {_notes.rank()}, which is not the root of that call.",
                          f"Let the root use it, or write root={_notes.rank()} in line {statement.lineno}.", True)
    elif verb == "bcast":
        given = _lost._name(call.args[0]) if call.args else ""
        found = overwritten_branch(text.tree, given, root, statement.lineno)
        if found is not None:
            _lost._remark(frame, statement.lineno, f"bcast brings None, which {given} is on rank {root} by then", *found)


def look_beside_root(frame, text, call, statement, verb, name, root):
    """Looks at memory that a call fills on the root only."""
    branch, line = _used_by(frame, text, statement, name) if _in_world(frame, call) else (None, 0)
    filled = [one.lineno for one in ast.walk(text.node) if isinstance(one, ast.Call) and _FILLS.match(_lost._name(one.func))
              and any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(one))] if line else ()
    stored = [one.lineno for one in ast.walk(text.node) if isinstance(one, ast.Name) and one.id == name
              and (isinstance(one.ctx, ast.Store) or _is_stored_to(text, one))] if line else ()
    if line and not any(statement.end_lineno < at <= line for at in [*filled, *stored]):
        _lost._remark(frame, line, f"{name} is as it was before: {verb} in line {statement.lineno} gives its result to rank "
                      f"{root} only", f"Line {branch.lineno} asks for rank {_notes.rank()}, which is not the root of that call.",
                      f"Let rank {root} use it, or write root={_notes.rank()} in line {statement.lineno}.", True)


def _in_world(frame, call):
    """Whether a call is one of COMM_WORLD, whose ranks are those that the program's conditions ask for."""
    world = getattr(sys.modules.get("mpi4py.MPI"), "COMM_WORLD", None)
    made = getattr(call.func, "value", None)
    return world is not None and isinstance(made, (ast.Name, ast.Attribute)) and _lost._evaluated(frame, made) is world


def _is_stored_to(text, node):
    """Whether a line writes to elements of this name: x[0] = 1."""
    place = text.parents[node]
    return isinstance(place, ast.Subscript) and place.value is node and isinstance(place.ctx, ast.Store)


def _used_by(frame, text, statement, name):
    """The condition after a statement that asks for this very rank, and the line in it that uses a variable; (None, 0) without
    one."""
    for branch in ast.walk(text.node):
        asked, rank = equation(branch)
        if rank is None or rank != _notes.rank() or frame.f_locals.get(getattr(asked, "id", None)) != rank or \
                not text.may_follow(branch, statement):
            continue
        for one in [inner for line in branch.body for inner in ast.walk(line)]:
            if isinstance(one, ast.Name) and one.id == name and not isinstance(text.parents[one], ast.Compare) and \
                    not _is_stored_to(text, one):
                return branch, one.lineno
    return None, 0


def equation(branch):
    """The left side and the constant of a condition such as `if rank == 0`; (None, None) for other statements."""
    test = getattr(branch, "test", None)
    if isinstance(branch, ast.If) and isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) and \
            isinstance(test.comparators[0], ast.Constant):
        return test.left, test.comparators[0].value
    return None, None


def overwritten_branch(tree, name, rank, before):
    """What is known of a variable that `if rank == 0` sets and the else of the next condition sets to None again: (why,
    advice); None without such lines."""
    for block in [getattr(node, field, None) for node in ast.walk(tree) for field in ("body", "orelse")]:
        for first, second in zip(block, block[1:]) if isinstance(block, list) else ():
            asked, one = equation(first)
            other, two = equation(second)
            if asked is None or other is None or one != rank or two == rank or first.orelse or second.end_lineno >= before or \
                    ast.dump(asked) != ast.dump(other):
                continue
            stores = [line for line in second.orelse if isinstance(line, ast.Assign) and any(
                _lost._name(target) == name for target in line.targets) and isinstance(line.value, ast.Constant)
                and line.value.value is None]
            if stores and any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
                              for line in first.body for node in ast.walk(line)):
                return f"Line {stores[0].lineno} sets it to None on all ranks but {two}, also on rank {rank}, which line " \
                    f"{first.lineno} gave its data: the condition in line {second.lineno} begins anew.", \
                    f"Write elif in line {second.lineno}."
    return None


def look(frame, text, call, statement, verb, given):
    """Looks at a result that is assigned to a variable."""
    if verb == "bcast":
        _unread(frame, text, call, statement, verb, given)
    elif verb in ("reduce", "allreduce"):
        _too_early(frame, text, call, statement, verb)
    elif verb == "recv":
        _only_last(frame, text, call, statement)
        _lost_step(frame, text, statement)


def _unread(frame, text, call, statement, verb, given):
    """What a broadcast brought is never read, but the variable that was handed in is, which has nothing here."""
    name, result = _lost._name(call.args[0]) if call.args else "", statement.targets[0].id
    if not name or name == result or given is not None or text.is_read(result):
        return
    if used := _lost._used_after(text, name, statement):
        _lost._remark(frame, used[0].lineno, f"{name} stays None there: what bcast brought in line {statement.lineno} is {result}, "
                "which no line reads", "bcast returns what the root has sent; what the other ranks hand in is not changed.",
                f"Use {result} in line {used[0].lineno}, or write {name} = {ast.unparse(call)}.", True)


def _too_early(frame, text, call, statement, verb):
    """A reduction of a zero to which only later lines add, while no line reads the result."""
    name, result = _lost._name(call.args[0]) if call.args else "", statement.targets[0].id
    value = frame.f_locals.get(name)
    if not isinstance(value, (int, float)) or value != 0 or text.in_loop(statement) or \
            text.is_read(result):
        return
    for later in ast.walk(text.node):
        if isinstance(later, ast.AugAssign) and _lost._name(later.target) == name and later.lineno > statement.end_lineno:
            _lost._remark(frame, statement.lineno, f"{verb} is given {name} before line {later.lineno} computes it: it is 0 here",
                    f"The call takes what {name} is now, and nobody reads its result, {result}.",
                    f"Move this line behind the lines that compute {name}, and use {result} from there on.")
            return


def _mentions(node, name, kind=ast.Load):
    return any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, kind) for one in ast.walk(node))


def _only_last(frame, text, call, statement):
    """Messages of a loop over ranks that all come into one variable, which is read only behind the loop."""
    loop, name = text.parents.get(statement), statement.targets[0].id
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or statement not in loop.body or loop.orelse or \
            not _mentions(call, loop.target.id) or any(_mentions(line, name) for line in loop.body):
        return
    turns = _lost._evaluated(frame, loop.iter)
    used = [node.lineno for node in _lost._used_after(text, name, loop)]
    if used and hasattr(turns, "__len__") and len(turns) > 1:
        _lost._remark(frame, statement.lineno, f"each message that comes here replaces the one before in {name}, and line "
                      f"{min(used)} uses the last one only", f"The loop in line {loop.lineno} receives {len(turns)} messages.",
                      f"Use {name} inside of the loop: indent line {min(used)}, or append what comes to a list.", True)


def _lost_step(frame, text, statement):
    """A step at the end of a loop whose variable the loop's receive overwrites before anything else reads it."""
    loop, name = text.parents.get(statement), statement.targets[0].id
    if not isinstance(loop, ast.While) or statement not in loop.body or not _mentions(loop.test, name):
        return
    before, after = loop.body[:loop.body.index(statement)], loop.body[loop.body.index(statement) + 1:]
    last = after[-1] if after else None
    target = getattr(last, "target", None) or (getattr(last, "targets", None) or [None])[0]
    if not isinstance(last, (ast.Assign, ast.AugAssign)) or _lost._name(target) != name or any(
            _mentions(line, name) or _mentions(line, name, ast.Store) for line in before) or any(
            _mentions(line, name, ast.Store) for line in after[:-1]) or any(
            isinstance(one, (ast.Break, ast.Return)) for line in loop.body for one in ast.walk(line)):
        return
    if any(_lost._name(send.args[0]) == name for line in after for send in ast.walk(line)
           if isinstance(send, ast.Call) and _lost._name(send.func) in _lost._SENDS and send.args):
        _lost._remark(frame, last.lineno, f"what this line makes of {name} is sent to nobody: the receive in line "
                      f"{statement.lineno} overwrites it in the next turn", f"This rank sends {name} on as it came, so its step never "
                      f"counts; where others do the same, the loop in line {loop.lineno} does not end.",
                      f"Move line {last.lineno} before the send.", True)
