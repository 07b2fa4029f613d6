"""A program's text as syntax: its calls, the variables that it gives values to, and where it reads them."""
import ast
import builtins
import functools
import linecache
import math
import operator
import os
import re
import sys

from . import _places

SENDS = {"send", "isend", "ssend", "issend", "bsend", "ibsend"}
# Calls that return what they bring.
BOUND = {"recv", "bcast", "scatter", "sendrecv", "allreduce", "reduce", "scan", "exscan", "gather", "allgather", "alltoall"}
# Calls that make a new object.
FRESH = {"empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like", "clone", "copy", "deepcopy",
         "list", "bytearray"}
# Calls that return nothing, each with the name and the place of the argument that it fills; None where it fills none.
MPI_FILLS = {"send": None, "Send": None, "Ssend": None, "Bsend": None, "Barrier": None, "Bcast": ("buf", 0), "Recv": ("buf", 0),
             "Sendrecv": ("recvbuf", 3), **dict.fromkeys((
                 "Reduce", "Allreduce", "Scan", "Exscan", "Scatter", "Scatterv", "Gather", "Gatherv", "Allgather", "Allgatherv",
                 "Alltoall", "Alltoallv"), ("recvbuf", 1))}
_TORCH_FILLS = {"send": None, "barrier": None, "gather": ("gather_list", 1), **dict.fromkeys((
    "all_reduce", "broadcast", "reduce", "all_gather", "scatter", "all_to_all", "reduce_scatter",
    "all_gather_into_tensor"), ("tensor", 0))}
FILLS = {*MPI_FILLS, *_TORCH_FILLS}
_PEERS = {"dest", "dst", "source", "src", "root", "tag", "sendtag", "recvtag", "group_dst", "group_src", "peer"}
UNKNOWN = object()  # the value of an expression whose value is not known
_VIEWS = {"view", "reshape", "ravel", "numpy", "detach"}  # methods of arrays and tensors that do not change them
_RANKS = {"Get_rank", "Get_size", "get_rank", "get_world_size"}  # calls of the libraries that return a number
# Functions of Python that may be called a second time with plain values.
_REPEATABLE = (len, range, int, float, abs, min, max, sum, list, tuple, zip, enumerate, reversed, bool)
# Calls that change nothing outside of a function; with the verbs above, which only send and return.
_PURE = {"dict", "isinstance", "rank", "size", "sleep", "numel", "item", "dim", "tolist", "maximum", "minimum", "add", "mul",
         "multiply", "wait", "Barrier", "barrier", *(one.__name__ for one in _REPEATABLE)} | _RANKS | FRESH
_PLAIN_TYPES = (bool, int, float, complex, str, bytes, list, tuple, range, type(None))
_CONTAINERS = (list, tuple, dict, str, bytes, bytearray, range, type(os.environ))
_MOST_ELEMENTS, _MOST_STEPS = 1 << 16, 100


def fills(frame, call):
    """What a call that returns nothing fills, as text; "" where it fills nothing, None where the call may be another's or runs in
    the background."""
    owner = evaluated(frame, getattr(call.func, "value", None))
    torch = sys.modules.get("torch.distributed")
    table = _TORCH_FILLS if torch is not None and owner is torch else \
        MPI_FILLS if type(owner).__module__.startswith("mpi4py") else {}
    if called(call) not in table or any(word.arg == "async_op" for word in call.keywords):
        return None
    place = table[called(call)]
    node = argument(call, *place) if place else None
    return ast.unparse(node) if node is not None else ""


def name_of(node):
    """A variable's name, or an attribute's without its object; empty for other nodes."""
    return getattr(node, "attr", None) or getattr(node, "id", "")


def called(node):
    """The name of the function that a call calls; empty for other nodes."""
    return name_of(getattr(node, "func", None))


def argument(call, name, at=None):
    """An argument of a call, by its name or its index; None where the call does not give it, or there is no call."""
    if call is None:
        return None
    given = [word.value for word in call.keywords if word.arg == name] or (call.args[at:at + 1] if at is not None else [])
    return given[0] if given else None


def filled(call):
    """The argument that a call of mpi4py fills; None for other calls."""
    place = MPI_FILLS.get(called(call))
    return argument(call, *place) if place else None


def bound(function, call):
    """What a call gives each parameter of a function, by its name; nothing where it gives a list of arguments with *."""
    names = [one.arg for one in function.args.args]
    if any(isinstance(one, ast.Starred) for one in call.args):
        return {}
    names = names[1:] if isinstance(call.func, ast.Attribute) and names[:1] == ["self"] else names
    return {**dict(zip(names, call.args)), **{word.arg: word.value for word in call.keywords}}


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def tag_of(call):
    """The text of a call's tag; empty without one."""
    tag = argument(call, "tag")
    return ast.dump(tag) if tag is not None else ""


def base_of(node):
    """The variable of which an expression is a part; None where it has another base."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return getattr(node, "id", None)


def names_in(node):
    """The names of the variables in a node; none of None."""
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name)] if node is not None else []


def variables(node, name, kind=ast.expr_context):
    """The nodes that are this variable; `kind` is ast.Load for those that read it, ast.Store for those that give it a value."""
    return [one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, kind)]


def given(tree, name):
    """Yields the assignments that give a variable a value, each with this value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    yield node, node.value
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for one, value in zip(target.elts, node.value.elts):
                        if name_of(one) == name:
                            yield node, value


def target_of(statement):
    """The first target of an assignment; None for other statements."""
    return getattr(statement, "target", None) or (getattr(statement, "targets", None) or [None])[0]


def sends_of(node, name):
    """The sends that are given a variable."""
    return [one for one in ast.walk(node) if called(one) in SENDS and one.args and name_of(one.args[0]) == name]


def equation(branch):
    """The left side and the constant of a condition such as `if rank == 0`; (None, None) for other statements."""
    test = getattr(branch, "test", None)
    if isinstance(branch, ast.If) and isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) and \
            isinstance(test.comparators[0], ast.Constant):
        return test.left, test.comparators[0].value
    return None, None


def is_plain(node):
    """Returns whether an expression is a name, an attribute or a subscript of one, without calls."""
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and not any(
        isinstance(inner, (ast.Call, ast.Await, ast.NamedExpr, ast.Lambda)) for inner in ast.walk(node))


def evaluated(frame, node, unknown=None):
    """Returns an expression's value in a frame; `unknown` where it has none yet, or where a second evaluation could run lines
    of the program, change something or take long."""
    try:
        return _Evaluation(frame).of(node)
    except Exception:  # it is unknown, or raises
        return unknown


class _Unknown(Exception):
    pass


class _Evaluation:
    """The evaluation of expressions in a frame, without any line of the program."""

    def __init__(self, frame):
        self.frame, self.steps = frame, 0

    def of(self, node):
        rule = getattr(self, "_" + type(node).__name__.lower(), None)
        self.steps += 1
        if rule is None or self.steps > _MOST_STEPS:
            raise _Unknown
        return rule(node)

    def _constant(self, node):
        return node.value

    def _name(self, node):
        for scope in (self.frame.f_locals, self.frame.f_globals, vars(builtins)):
            if node.id in scope:
                return scope[node.id]
        raise _Unknown

    def _attribute(self, node):
        owner = self.of(node.value)
        kind = owner if isinstance(owner, type) else type(owner)
        for base in kind.__mro__:
            found = vars(base).get(node.attr)
            own = [vars(base).get("__getattr__"), vars(base).get("__getattribute__"), getattr(found, "fget", None),
                   getattr(found, "func", None)]
            if any(map(code_of, own)) or found is not None and code_of(getattr(type(found), "__get__", None)):
                raise _Unknown
        return getattr(owner, node.attr)

    def _subscript(self, node):
        things, index = self.of(node.value), self.of(node.slice)
        if not (type(things) in _CONTAINERS or _is_array(things)) or not all(
                isinstance(one, (int, str, float, slice, bytes, type(None), type(...)))
                for one in (index if isinstance(index, tuple) else (index,))):
            raise _Unknown
        return things[index]

    def _slice(self, node):
        return slice(*(self.of(one) if one is not None else None for one in (node.lower, node.upper, node.step)))

    def _tuple(self, node):
        return tuple(map(self.of, node.elts))

    def _list(self, node):
        return list(map(self.of, node.elts))

    def _plain(self, node):
        """The value of an operand: one whose operators and iteration are not the program's."""
        value = self.of(node)
        if not is_plain_value(value):
            raise _Unknown
        return value

    def _binop(self, node):
        left, right = self._plain(node.left), self._plain(node.right)
        rule = _OPERATORS.get(type(node.op))
        texts = [one for one in (left, right) if isinstance(one, (str, bytes, list, tuple))]
        if rule is None or not self._is_quick(left, right, rule) or texts and rule is not operator.add:
            raise _Unknown
        return rule(left, right)

    def _is_quick(self, left, right, rule):
        """Returns whether an operator's result is as small as its operands, and raises no warning."""
        arrays = [one for one in (left, right) if _is_array(one)]
        mixed = len(arrays) == 1 and isinstance(left if arrays[0] is right else right, (list, tuple))
        grows = len(arrays) == 2 and left.shape != right.shape and left.shape and right.shape
        divides = arrays and rule in (operator.truediv, operator.floordiv, operator.mod)
        return not (mixed or grows and (rule is not operator.matmul or left.shape[0] * right.shape[-1] > _MOST_ELEMENTS or
                                        max(left.ndim, right.ndim) > 2) or divides)

    def _unaryop(self, node):
        value = self._plain(node.operand)
        if isinstance(node.op, ast.Not) and not _is_array(value):
            return not value
        if isinstance(node.op, ast.USub):
            return -value
        raise _Unknown

    def _boolop(self, node):
        for one in node.values:
            value = self._plain(one)
            if _is_array(value):
                raise _Unknown
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _compare(self, node):
        values = [self._plain(one) for one in (node.left, *node.comparators)]
        rule = _OPERATORS.get(type(node.ops[0]))
        if len(values) != 2 or rule is None or any(isinstance(one, (list, tuple)) for one in values) or \
                not self._is_quick(*values, rule):
            raise _Unknown
        return rule(*values)

    def _ifexp(self, node):
        return self.of(node.body if self.of(ast.UnaryOp(ast.Not(), node.test)) is False else node.orelse)

    def _call(self, node):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS:
            if not _is_array(self.of(node.func.value)) or node.keywords:
                raise _Unknown
            return self.of(node.func)(*map(self.of, node.args))
        function = self.of(node.func)
        if called(node) in _RANKS and not node.args and not node.keywords and code_of(function) is None:
            return function()
        if node.keywords or not any(function is one for one in _REPEATABLE):
            raise _Unknown
        if function is len and len(node.args) == 1:
            if (count := length(self.of(node.args[0]))) is None:
                raise _Unknown
            return count
        return function(*map(self._plain, node.args))


_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
              ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.MatMult: operator.matmul, ast.Eq: operator.eq,
              ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}


def code_of(function):
    """The code of a function of the program's own; None of others."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return None if code is None or _places.is_foreign(code) else code


def _is_array(value):
    """Returns whether a value is an array or a number of NumPy or torch, whose operators are the library's."""
    return type(value).__module__.partition(".")[0] in ("numpy", "torch") and hasattr(value, "shape") and \
        getattr(getattr(value, "dtype", None), "kind", "") != "O"


def length(value):
    """The number of elements of a container or an array; None of what may be the program's own."""
    return len(value) if type(value) in (*_CONTAINERS, set, frozenset) or _is_array(value) and value.shape else None


def is_plain_value(value, deep=2):
    """Returns whether no operator on a value, and no comparison, runs a line of the program or takes long."""
    if _is_array(value):
        return math.prod(value.shape) <= _MOST_ELEMENTS
    if type(value) not in (*_PLAIN_TYPES, dict) or (length(value) or 0) > _MOST_ELEMENTS:
        return False
    return not isinstance(value, (list, tuple, dict)) or deep > 0 and all(
        is_plain_value(one, deep - 1) for one in (value.values() if isinstance(value, dict) else value))


def _is_number(frame, node):
    return isinstance(node, ast.Name) and isinstance(frame.f_locals.get(node.id, 0), (int, float, str, tuple))


def _is_pure(function):
    """Returns whether a function only computes what it returns."""
    code = getattr(function, "__code__", None)
    if code is None:
        name = getattr(function, "__name__", "")
        return bool(name) and getattr(operator, name, None) is function and not name.startswith(("i", "set", "del"))
    import dis
    return not any(one.opname.startswith(("STORE_S", "STORE_A", "STORE_G", "STORE_D", "DELETE", "CALL", "YIELD", "IMPORT"))
                   or (one.opname == "BINARY_OP" and "=" in one.argrepr) or one.opname.startswith("INPLACE")
                   for one in dis.get_instructions(code))


class Text:
    """A function's syntax, or that of a program's main part."""

    def __init__(self, node, tree):
        self.node, self.tree = node, tree
        self.parents = {inner: outer for outer in ast.walk(node) for inner in ast.iter_child_nodes(outer)}
        arguments = getattr(node, "args", None)
        self.parameters = {one.arg for one in arguments.posonlyargs + arguments.args + arguments.kwonlyargs} \
            if arguments is not None else set()

    def calls(self, line, verbs):
        return [one for one in ast.walk(self.node) if called(one) in verbs and one.lineno <= line <= one.end_lineno]

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

    def loops(self, node):
        """The loops around a node."""
        return [outer for outer, _ in self.above(node) if isinstance(outer, (ast.For, ast.While))]

    def behind(self, statement):
        """The statements that follow one in its block, then those in the blocks around it."""
        return [later for outer, inner in self.above(statement) for block in (getattr(outer, "body", ()), getattr(
            outer, "orelse", ())) if inner in block for later in block[block.index(inner) + 1:]]

    def may_follow(self, node, first):
        """Returns whether a node may run after a statement: it stands behind it and not in another branch, or in a loop with
        it."""
        ways = dict(self.above(first))
        for outer, inner in self.above(node):
            if outer in ways:
                before = ways[outer]
                if isinstance(outer, (ast.For, ast.While)) or self.loops(outer):
                    return True
                if isinstance(outer, ast.If) and (before in outer.body) != (inner in outer.body) and outer.test is not inner:
                    return False
                break
        return (node.lineno, node.col_offset) > (first.end_lineno, first.end_col_offset)

    @functools.cached_property
    def _stores(self):
        found = {}
        for node in ast.walk(self.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id, []).append(node)
        return found

    def stores(self, name):
        """The nodes that give a variable a value."""
        return self._stores.get(name, [])

    def is_read(self, name):
        """Returns whether any line of the program reads a variable."""
        return bool(variables(self.tree, name, ast.Load))

    def is_stored_to(self, node):
        """Returns whether a line writes to elements of this variable: x[0] = 1."""
        place = self.parents[node]
        return isinstance(place, ast.Subscript) and place.value is node and isinstance(place.ctx, ast.Store)

    def reads(self, name, first):
        """The nodes that may read a variable after a statement."""
        found = []
        for node in variables(self.node, name):
            if isinstance(node.ctx, ast.Load) or isinstance(self.parents[node], ast.AugAssign):
                inside = any(isinstance(outer, (ast.FunctionDef, ast.Lambda, ast.ClassDef)) for outer, _ in self.above(node)
                             if outer is not self.node)
                if inside or (self.statement(node) is not first and self.may_follow(node, first)) or (
                        self.statement(node) is first and self.loops(first)):
                    found.append(node)
        return found

    def used_after(self, name, statement):
        """The nodes that read a variable after a statement, before it gets a new value."""
        first = min((node.lineno for node in self.stores(name) if node.lineno > statement.end_lineno
                     and self.may_follow(node, statement) and not isinstance(self.parents[node], ast.AugAssign)), default=1 << 30)
        return [node for node in self.reads(name, statement) if statement.end_lineno < node.lineno < first or
                (node.lineno == first and called(self.parents[node]) not in BOUND)]

    def uses(self, names):
        return any(name_of(one) in names for one in ast.walk(self.node))

    def returns(self):
        return any(isinstance(one, (ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)) or
                   isinstance(one, ast.Return) and one.value is not None and not is_none(one.value)
                   for one in ast.walk(self.node))

    def fresh(self):
        """Variables that only ever hold new objects."""
        new, other = set(), set(self.parameters)
        for node in ast.walk(self.node):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                value = node.value
                is_new = isinstance(value, (ast.BinOp, ast.Constant, ast.List)) or called(value) in FRESH | {"recv"}
                (new if is_new else other).add(node.targets[0].id)
            elif isinstance(node, (ast.For, ast.comprehension)):
                other.update(names_in(node.target))
        return new - other

    def has_effect(self, frame):
        """Returns whether the function can change anything outside of it, except by its sends."""
        fresh = self.fresh()
        if self.returns() or any(isinstance(one, (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.With, ast.Import))
                                 for one in ast.walk(self.node) if one is not self.node):
            return True
        for node in ast.walk(self.node):
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)):
                for target in getattr(node, "targets", None) or [node.target]:
                    if isinstance(node, ast.AugAssign) or not isinstance(target, (ast.Name, ast.Tuple)):
                        if base_of(target) not in fresh and not _is_number(frame, target):
                            return True
            elif isinstance(node, ast.Call) and not self._is_harmless(node, frame, fresh):
                return True
        return False

    def _is_harmless(self, call, frame, fresh):
        name = called(call)
        if isinstance(call.func, ast.Name) and _is_pure(frame.f_locals.get(name, frame.f_globals.get(name))):
            return True
        if name in ("append", "extend"):
            return base_of(call.func) in fresh
        if name in ("recv", "irecv", "Recv", "Irecv", "all_reduce", "broadcast", "reduce") and call.args:
            return isinstance(call.args[0], ast.Name) and call.args[0].id in fresh
        return name in _PURE | SENDS | BOUND | {"irecv", "Send", "Isend", "Ssend"} and argument(call, "out") is None


@functools.lru_cache(64)
def tree_of(file):
    """The syntax of a file, or of a notebook's cell; None where it is not known."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


@functools.lru_cache(256)
def text_of(code):
    """The syntax of a code object of the program; None where it is not known."""
    tree = tree_of(code.co_filename)
    if tree is None or not tree.body:
        return None
    if code.co_name == "<module>":
        return Text(tree, tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name and \
                min([node.lineno] + [one.lineno for one in node.decorator_list]) == code.co_firstlineno:
            return Text(node, tree)
    return None


def text_around(code):
    """The syntax of the function, or the main part, in which a comprehension or a lambda stands; None for other code."""
    tree = tree_of(code.co_filename) if code.co_name.startswith("<") else None
    if tree is None:
        return None
    around = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and
              node.lineno <= code.co_firstlineno <= node.end_lineno]
    return Text(max(around, key=lambda node: node.lineno, default=tree), tree)


@functools.lru_cache(maxsize=256)
def members_in(text, verbs):
    """(its text, its syntax) of each attribute and element that a function gives to one of these calls."""
    found = {}
    for call in ast.walk(text.node):
        for node in call.args if called(call) in verbs else ():
            while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and \
                    isinstance(node.func.value, (ast.Attribute, ast.Subscript)):
                node = node.func.value  # p.grad.clone(): what is copied
            if isinstance(node, (ast.Attribute, ast.Subscript)) and is_plain(node) and not any(
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
            (others if is_peer else data).update(names_in(node))
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


def statements_of(frame, text, statement):
    """(syntax, statement, frame) of a frame's statement, and of the statement that called the frame's function."""
    caller, name = frame.f_back, frame.f_code.co_name
    outer = text_of(caller.f_code) if caller is not None and not _places.is_foreign(caller.f_code) else None
    calls = outer.calls(caller.f_lineno, {name}) if outer is not None else []
    return [(text, statement, frame), *((outer, outer.statement(one), caller) for one in calls[:1])]


def waits_for(tree, statement, name=None, seen=frozenset()):
    """Returns whether a statement, or a function of the program that it calls, waits for the requests in a variable or
    attribute of this name; without a name, for any."""
    names = {called(one) for one in ast.walk(statement) if isinstance(one, ast.Call)} - seen
    if any("wait" in one.lower() or one == "is_completed" for one in names) and (name is None or any(
            name_of(one) == name for one in ast.walk(statement))):
        return True
    return any(isinstance(one, ast.FunctionDef) and one.name in names and any(waits_for(tree, line, name, seen | names)
               for line in one.body) for one in ast.walk(tree))
