"""Finds, by the text around a call, that what it has received is lost: an object that nobody keeps, a parameter that is
reassigned, memory that is combined with itself. The run's report says it at the call's line."""
import ast
import functools
import linecache
import operator
import re
import sys

from . import _memory, _notes, _places, _results

_SENDS = {"send", "isend", "ssend", "issend", "bsend", "ibsend"}
_BOUND = {"recv", "bcast", "scatter", "sendrecv", "allreduce", "reduce", "scan", "exscan", "gather", "allgather", "alltoall"}
_PEERS = {"dest", "dst", "source", "src", "root", "tag", "sendtag", "recvtag", "group_dst", "group_src", "peer"}
_TIMERS = {"time", "perf_counter", "monotonic", "Wtime", "timeit", "perf_counter_ns", "time_ns"}
_FRESH = {"empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "clone", "copy", "deepcopy",
          "list", "bytearray"}
# Calls that change nothing outside of a function; with the verbs above, which only send and return.
_PURE = {"len", "range", "int", "float", "min", "max", "sum", "abs", "list", "tuple", "dict", "zip", "enumerate", "reversed",
         "isinstance", "Get_rank", "Get_size", "get_rank", "get_world_size", "rank", "size", "sleep", "numel", "item", "dim",
         "tolist", "maximum", "minimum", "add", "mul", "multiply", "wait", "Barrier", "barrier"} | _FRESH
_READ_ONLY = {"len", "range", "int", "float", "min", "max", "sum", "abs", "list", "tuple", "enumerate", "zip", "reversed", "view",
              "reshape", "ravel", "flatten", "numpy", "detach", "Get_rank", "Get_size", "get_rank", "get_world_size"}
_seen = {}  # (id of a code object, instruction) -> the code object: looked at


class _Text:
    """A function's syntax, or that of a program's main part."""

    def __init__(self, node, tree):
        self.node, self.tree = node, tree
        self.parents = {inner: outer for outer in ast.walk(node) for inner in ast.iter_child_nodes(outer)}
        arguments = getattr(node, "args", None)
        self.parameters = {one.arg for one in arguments.posonlyargs + arguments.args + arguments.kwonlyargs} \
            if arguments is not None else set()

    def calls(self, line, verbs):
        return [one for one in ast.walk(self.node) if isinstance(one, ast.Call) and _name(one.func) in verbs
                and one.lineno <= line <= one.end_lineno]

    def above(self, node):
        """A node's parents, the innermost first, each with the child that leads to the node."""
        while node is not self.node and node in self.parents:
            outer = self.parents[node]
            yield outer, node
            node = outer

    def statement(self, node):
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def in_loop(self, node):
        return any(isinstance(outer, (ast.For, ast.While)) for outer, _ in self.above(node))

    def may_follow(self, node, first):
        """Whether a node may run after a statement: it stands behind it and not in another branch, or in a loop with it."""
        ways = dict(self.above(first))
        for outer, inner in self.above(node):
            if outer in ways:
                before = ways[outer]
                if isinstance(outer, (ast.For, ast.While)) or any(
                        isinstance(loop, (ast.For, ast.While)) for loop, _ in self.above(outer)):
                    return True
                if isinstance(outer, ast.If) and (before in outer.body) != (inner in outer.body) and outer.test is not inner:
                    return False
                return (node.lineno, node.col_offset) > (first.end_lineno, first.end_col_offset)
        return (node.lineno, node.col_offset) > (first.end_lineno, first.end_col_offset)

    def stores(self, name):
        """The nodes that give a variable a value."""
        return [one for one in ast.walk(self.node) if isinstance(one, ast.Name) and one.id == name
                and isinstance(one.ctx, ast.Store)]

    def is_read(self, name):
        """Whether any line of the program reads a variable."""
        return any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
                   for one in ast.walk(self.tree))

    def reads(self, name, first):
        """The nodes that may read a variable after a statement."""
        found = []
        for node in ast.walk(self.node):
            if isinstance(node, ast.Name) and node.id == name and \
                    (isinstance(node.ctx, ast.Load) or isinstance(self.parents[node], ast.AugAssign)):
                inside = any(isinstance(outer, (ast.FunctionDef, ast.Lambda, ast.ClassDef)) for outer, _ in self.above(node)
                             if outer is not self.node)
                if inside or (self.statement(node) is not first and self.may_follow(node, first)) or (
                        self.statement(node) is first and self.in_loop(first)):
                    found.append(node)
        return found

    def uses(self, names):
        return any(_name(one) in names for one in ast.walk(self.node) if isinstance(one, (ast.Name, ast.Attribute)))

    def returns(self):
        return any(isinstance(one, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)) or
                   (isinstance(one, ast.Return) and one.value is not None and not (
                       isinstance(one.value, ast.Constant) and one.value.value is None)) for one in ast.walk(self.node))

    def fresh(self):
        """Variables that only ever hold new objects."""
        given, other = set(), set(self.parameters)
        for node in ast.walk(self.node):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                name, value = node.targets[0].id, node.value
                new = isinstance(value, (ast.BinOp, ast.Constant, ast.List)) or (
                    isinstance(value, ast.Call) and _name(value.func) in _FRESH | {"recv"})
                (given if new else other).add(name)
            elif isinstance(node, (ast.For, ast.comprehension)):
                other.update(one.id for one in ast.walk(node.target) if isinstance(one, ast.Name))
        return given - other

    def has_effect(self, frame):
        """Whether the function can change anything outside of it, except by its sends."""
        fresh = self.fresh()
        if self.returns() or any(isinstance(one, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.With, ast.Import))
                                 for one in ast.walk(self.node) if one is not self.node):
            return True
        for node in ast.walk(self.node):
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)):
                for target in getattr(node, "targets", None) or [node.target]:
                    if isinstance(node, ast.AugAssign) or not isinstance(target, (ast.Name, ast.Tuple)):
                        if _base(target) not in fresh and not _is_number(frame, target):
                            return True
            elif isinstance(node, ast.Call) and not self._is_harmless(node, frame, fresh):
                return True
        return False

    def _is_harmless(self, call, frame, fresh):
        name = _name(call.func)
        if isinstance(call.func, ast.Name):
            value = frame.f_locals.get(name, frame.f_globals.get(name))
            if _is_pure(value):
                return True
        if name in ("append", "extend"):
            return _base(call.func) in fresh
        if name in ("recv", "irecv", "Recv", "Irecv", "all_reduce", "broadcast", "reduce") and call.args:
            return isinstance(call.args[0], ast.Name) and call.args[0].id in fresh
        return name in _PURE | _SENDS | _BOUND | {"irecv", "Send", "Isend", "Ssend"} and not any(
            word.arg == "out" for word in call.keywords)


def _name(node):
    return getattr(node, "attr", None) or getattr(node, "id", "")


def _tag(call):
    """The text of a call's tag; empty without one."""
    return next((ast.dump(word.value) for word in call.keywords if word.arg == "tag"), "")


def _base(node):
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return getattr(node, "id", None)


def _is_number(frame, node):
    return isinstance(node, ast.Name) and isinstance(frame.f_locals.get(node.id, 0), (int, float, str, tuple))


def _is_pure(function):
    """Whether a function only computes what it returns."""
    code = getattr(function, "__code__", None)
    if code is None:
        name = getattr(function, "__name__", "")
        return bool(name) and getattr(operator, name, None) is function and not name.startswith(("i", "set", "del"))
    import dis
    return not any(one.opname.startswith(("STORE_S", "STORE_A", "STORE_G", "STORE_D", "DELETE", "CALL", "YIELD", "IMPORT"))
                   or (one.opname == "BINARY_OP" and "=" in one.argrepr) or one.opname.startswith("INPLACE")
                   for one in dis.get_instructions(code))


@functools.lru_cache(64)
def _tree(file):
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


@functools.lru_cache(256)
def _text(code):
    """The syntax of a code object of the program; None where it is not known."""
    tree = _tree(code.co_filename)
    if tree is None or not tree.body:
        return None
    if code.co_name == "<module>":
        return _Text(tree, tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name and \
                min([node.lineno] + [one.lineno for one in node.decorator_list]) == code.co_firstlineno:
            return _Text(node, tree)
    return None


def _differ(one, other):
    """Whether two objects surely hold different things."""
    try:
        same = one == other
        return not (same if isinstance(same, bool) else bool(same.all()))
    except Exception:  # of two lengths, or of types that cannot be compared
        return True


def _is_mutable(thing):
    return isinstance(thing, (list, dict, set, bytearray)) or _memory.is_tensor(thing) or _memory.is_plain_array(thing)


def _site():
    """The program's frame whose call is under way, the first time that this call is looked at; else None."""
    if not _notes._folder:
        return None
    frame = sys._getframe(4)
    while frame is not None and _places.is_foreign(frame.f_code):
        frame = frame.f_back
    if frame is None:
        return None
    key = (id(frame.f_code), frame.f_lasti)
    if key in _seen:
        return None
    _seen[key] = frame.f_code
    return frame if _notes.rank() is not None else None


def _remark(frame, line, what, why, advice, harmless=False):
    _notes.remark((frame.f_code.co_filename, line), what, why, advice, harmless)


def _never_stops(look):
    """A look at the program's objects, which may do anything: it must not stop the program."""
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
    frame = _site()
    text = _text(frame.f_code) if frame is not None else None
    calls = text.calls(frame.f_lineno, {verb}) if text is not None else ()
    if len(calls) != 1:
        return
    statement = text.statement(calls[0])
    if got is None:
        return _results.look_at_none(frame, text, calls[0], statement, verb, root)
    if isinstance(statement, ast.Expr) and statement.value is calls[0]:
        _seen.pop((id(frame.f_code), frame.f_lasti), None)  # another time it may be certain
        (_dropped_message if verb == "recv" else _dropped)(frame, text, calls[0], statement, verb, got, given)
    elif isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        _bound_anew(frame, text, statement, verb, got)
        _results.look(frame, text, calls[0], statement, verb, given)


def _used_after(text, name, statement):
    """Whether a variable is read after a statement before it gets a new value."""
    reads = text.reads(name, statement)
    first = min((node.lineno for node in text.stores(name) if node.lineno > statement.end_lineno
                 and text.may_follow(node, statement) and not isinstance(text.parents[node], ast.AugAssign)), default=1 << 30)
    return [node for node in reads if statement.end_lineno < node.lineno < first or
            (node.lineno == first and _name(getattr(text.parents[node], "func", None)) not in _BOUND)]


def _dropped(frame, text, call, statement, verb, got, given):
    name = call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else ""
    moves = verb in ("bcast", "scatter")
    if not name or not _differ(given, got) or not _used_after(text, name, statement) or (
            not moves and (text.in_loop(statement) or text.uses(_TIMERS))):
        return
    _remark(frame, statement.lineno, f"{verb} returns what has come, and this line does not keep it",
            f"The variable {name}, which is used after it, stays as it was on this rank.",
            f"Write {name} = {ast.unparse(call.func)}({name}, ...).", moves and given is not None)


def _dropped_message(frame, text, call, statement, verb, got, given):
    tag = _tag(call)
    for send in ast.walk(text.tree):
        if not isinstance(send, ast.Call) or _name(send.func) not in _SENDS or not send.args or \
                not isinstance(send.args[0], ast.Name):
            continue
        name = send.args[0].id
        mine = frame.f_locals.get(name, frame.f_globals.get(name))
        if _tag(send) != tag or (mine is not None and type(mine) is not type(got)) or not _differ(mine, got):
            continue
        used = _used_after(text, name, statement)
        sends_on = [node for node in used if isinstance(text.parents[node], ast.Call) and
                    _name(text.parents[node].func) in _SENDS]
        if len(used) > len(sends_on):
            _remark(frame, statement.lineno, "recv returns what has come, and this line does not keep it",
                    f"The variable {name}, which is sent at line {send.lineno} and used on this rank, stays as it was here.",
                    f"Write {name} = {ast.unparse(call)}.", bool(sends_on) or text.in_loop(statement))
            return


def _bound_anew(frame, text, statement, verb, got):
    name = statement.targets[0].id
    mine = frame.f_locals.get(name)
    sent = _is_sent(text, name)  # on other ranks: the function is a broadcast of its parameter
    if name not in text.parameters or text.returns() or not (_is_mutable(mine) or (mine is None and sent)) or \
            not (sent or _differ(mine, got)):
        return
    if not text.reads(name, statement) or not text.has_effect(frame):
        _lost_parameter(frame, text, statement, name, mine, f"what {verb} returns")


def _is_sent(text, name):
    return any(isinstance(one, ast.Call) and _name(one.func) in _SENDS and one.args and _name(one.args[0]) == name
               for one in ast.walk(text.node))


def _lost_parameter(frame, text, statement, name, mine, what):
    function = frame.f_code.co_name
    tensor = _memory.is_tensor(mine)
    in_place = f"{name}.copy_(...)" if tensor else f"{name}[:] = ..." if _is_mutable(mine) and not isinstance(mine, dict) \
        else ""
    _remark(frame, statement.lineno, f"{what} is kept only in {name}, a name of {function} alone from this line on",
            f"An assignment to a parameter changes its name alone: the caller's object stays as it was, and {function} returns"
            " nothing.",
            (f"Write {in_place}, which changes the caller's object, or r" if in_place else "R") +
            f"eturn {name} and keep it: {name} = {function}({name}).")


# ---- memory that a call fills, or leaves as it is ----

@_never_stops
def left_to_root(verb, buffer, root):
    """Looks at whether this rank uses the memory that a call fills on the root only."""
    frame = _site()
    text = _text(frame.f_code) if frame is not None else None
    calls = text.calls(frame.f_lineno, {verb}) if text is not None else ()
    whole = buffer[0] if isinstance(buffer, (list, tuple)) and buffer else buffer
    for name, value in list(frame.f_locals.items()) if len(calls) == 1 and whole is not None else ():
        if value is whole:
            return _results.look_beside_root(frame, text, calls[0], text.statement(calls[0]), verb, name, root)



@_never_stops
def filled(verb, buffer):
    """Looks at what becomes of memory that a call of the program receives into, before it is filled."""
    if _site() is None:
        return
    if isinstance(buffer, (list, tuple)) and buffer:
        buffer = buffer[0]
    for frame in _places.user_frames()[:3]:
        text = _text(frame.f_code)
        names = [name for name, value in list(frame.f_locals.items()) if value is buffer] if text is not None else ()
        for name in names:
            calls = [one for one in ast.walk(text.node) if isinstance(one, ast.Call) and one.lineno <= frame.f_lineno <=
                     one.end_lineno and any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(one))]
            if calls and (_combined_with_itself(frame, text, text.statement(calls[0]), verb, name, buffer) or
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
                _remark(innermost, innermost.f_lineno, f"what is reduced is the parameter itself, and not its gradient: {name} "
                        f"is the parameter", "A hook of register_post_accumulate_grad_hook is given the parameter, whose"
                        " gradient is in its .grad. All ranks have the same parameters, so that nothing is averaged.",
                        f"Reduce {name}.grad.")
                return


@_never_stops
def partial(verb, tensor, root):
    """Looks at whether a rank that is not the root uses what a reduction leaves in its tensor."""
    frame = _site()
    text = _text(frame.f_code) if frame is not None else None
    calls = text.calls(frame.f_lineno, {verb}) if text is not None else ()
    name = calls[0].args[0].id if len(calls) == 1 and calls[0].args and isinstance(calls[0].args[0], ast.Name) else None
    if frame is None or name is None or frame.f_locals.get(name) is not tensor:
        return
    for read in _used_after(text, name, text.statement(calls[0])):
        if not any(isinstance(outer, (ast.If, ast.IfExp)) for outer, _ in text.above(read)):
            _remark(frame, frame.f_lineno, f"{name} is used at line {read.lineno} on ranks other than the root, too",
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


def _is_plain(node):
    """Whether an expression is a name, an attribute or a subscript of one, without calls."""
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not any(
        isinstance(inner, (ast.Call, ast.Await, ast.NamedExpr, ast.Lambda)) for inner in ast.walk(node))


def members_in(text, verbs):
    """(its text, its syntax) of each attribute and element that a function gives to one of these calls."""
    found = {}
    for call in ast.walk(text.node):
        for node in call.args if isinstance(call, ast.Call) and _name(call.func) in verbs else ():
            while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and \
                    isinstance(node.func.value, (ast.Attribute, ast.Subscript)):
                node = node.func.value  # p.grad.clone(): what is copied
            if isinstance(node, (ast.Attribute, ast.Subscript)) and _is_plain(node) and not any(
                    isinstance(inner, ast.Slice) for inner in ast.walk(node)):
                found.setdefault(ast.unparse(node), node)
    return list(found.items())


@functools.lru_cache(maxsize=256)
def peers_in(text, line, verb):
    """Variables that are only a partner, a tag or a root in a line's calls, never data."""
    data, others = set(), set()
    for call in text.calls(line, {verb}):
        for at, node in [*enumerate(call.args), *((one.arg, one.value) for one in call.keywords)]:
            is_peer = at in _PEERS or (at == 1 and re.match(r"i?(b|s|r)?(send|recv)|i?(broadcast|bcast|reduce)$", verb, re.I))
            (others if is_peer else data).update(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
    return frozenset(others - data)


@functools.lru_cache(maxsize=256)
def sources_of(text, name):
    """The variables of which a variable is always a copy, whole or in part: data, for block = data[i:i + 1].clone()."""
    found = None
    for store in text.stores(name):
        outer = text.statement(store)
        value = outer.iter if isinstance(outer, ast.For) else outer.value if isinstance(outer, ast.Assign) else None
        if value is None or (isinstance(outer, ast.Assign) and outer.targets != [store]):
            return frozenset()
        indices = {inner for node in ast.walk(value) if isinstance(node, ast.Subscript) for inner in ast.walk(node.slice)}
        read = {one.id for one in ast.walk(value) if isinstance(one, ast.Name) and one not in indices}
        found = read if found is None else found & read
    return frozenset(found or ()) - {name}


def _evaluated(frame, node):
    """What a plain expression is in a frame. None where it does not exist yet, or where a second evaluation could act."""
    for one in ast.walk(node):
        if isinstance(one, (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)) or \
                isinstance(one, ast.Call) and _name(one.func) not in _READ_ONLY:
            return None
    try:
        return eval(compile(ast.parse(ast.unparse(node), mode="eval"), "<rankscope>", "eval"), frame.f_globals,
                    dict(frame.f_locals))
    except Exception:
        return None


def _span(thing):
    """(address, bytes, strides) of a tensor or an array."""
    if _memory.is_tensor(thing):
        return thing.data_ptr(), thing.numel() * thing.element_size(), tuple(thing.stride())
    if _memory.is_plain_array(thing):
        return thing.__array_interface__["data"][0], thing.nbytes, thing.strides
    return None


def _combined_with_itself(frame, text, statement, verb, name, buffer):
    mine = _span(buffer)
    if mine is None or not mine[1]:
        return False
    stores = [one.lineno for one in ast.walk(text.node) if isinstance(one, ast.Name) and one.id == name and
              isinstance(one.ctx, ast.Store) and one.lineno > statement.end_lineno]
    for node in ast.walk(text.node):
        pair = _operands(node)
        if pair is None or node.lineno <= statement.end_lineno or node.lineno > min(stores, default=1 << 30) or \
                not text.may_follow(node, statement) or name not in (_name(one) for one in pair if isinstance(one, ast.Name)):
            continue
        other = pair[1] if isinstance(pair[0], ast.Name) and pair[0].id == name else pair[0]
        if not _is_plain(other) or (isinstance(other, ast.Name) and other.id == name):
            continue
        if _span(_evaluated(frame, other)) != mine:
            continue
        shown, module = ast.unparse(other), "torch" if _memory.is_tensor(buffer) else "numpy"
        copied = f", or {shown}.clone()" if module == "torch" else f", or {shown}.copy()"
        _remark(frame, frame.f_lineno, f"{verb} writes into {shown} itself: {name} is no copy of it, but the same memory",
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
        mentions = {one.id for one in ast.walk(node.value) if isinstance(one, ast.Name)}
        if isinstance(node.value, ast.Name) or not (_memory.is_tensor(mine) or _memory.is_plain_array(mine)):
            continue
        computes = name in mentions and node.lineno > statement.end_lineno and text.may_follow(node, statement)
        renewed = target == name and node.lineno < statement.lineno and isinstance(node.value, ast.Call) and \
            _name(node.value.func) in _FRESH and text.may_follow(statement, node) and not _is_callers(frame, mine)
        if computes and not (text.reads(target, node) and text.has_effect(frame)):
            _lost_parameter(frame, text, node, target, mine, "what this line computes")
            return True
        if renewed and not text.reads(target, statement):
            _lost_parameter(frame, text, node, target, mine, "the array that is received into")
            return True
    return False


def _is_callers(frame, thing):
    """Whether an array is a variable of the caller's."""
    caller = frame.f_back
    return caller is None or any(value is thing for scope in (caller.f_locals, caller.f_globals)
                                 for value in list(scope.values()))
