"""The place of an error in a program: the expression that raised it, the values in it, and where they come from."""
import ast
import functools
import re
import types
from ast import unparse

from . import _memory, _notes, _places, _syntax
from ._syntax import UNKNOWN, argument, called, given, names_in

RANK = re.compile(r"\b(rank|my_?rank|me|my_?id|proc_?id|pid|taskid|world_rank|global_rank|Get_rank|get_rank)\b", re.I)
SIZE = re.compile(r"(?<![\w.])(\w+\.)*(size|world_?size|n_?procs?|num_?procs?|n_?ranks|n(um)?_?tasks|Get_size\(\)|"
                  r"get_world_size\(\))(?!\w)", re.I)


def explains(kind, pattern="", ours=False):
    """Makes a function of a place, and of what matches the error's words, a rule for errors of a type. Those of rankscope, whose
    words say what to do, are explained by the rules that are `ours` alone."""
    asked = re.compile(pattern, re.S)

    def decorate(rule):
        @functools.wraps(rule)
        def explain(place):
            told = asked.search(place.words) if isinstance(place.error, kind) and (ours or not place.is_ours) else None
            return rule(place, told) if told else None
        return explain
    return decorate


class Place:
    """The expression that raised an error, with the values that are in it."""

    def __init__(self, error, frame, line):
        self.error, self.words, self.frame, self.line, self.at = error, str(error), frame, line, f"in line {line}"
        self.text = text = _syntax.text_of(frame.f_code) or _syntax.text_around(frame.f_code)
        self.is_ours = _places.is_own_error(error) and not isinstance(error, AttributeError)
        self.exact = _expression(error, frame, text)
        inner = [one for one in ast.walk(text.node) if isinstance(one, ast.stmt) and one.lineno <= line <= one.end_lineno]
        self.statement = max(inner, key=lambda one: one.lineno, default=None)
        node = self.exact or self.statement
        if node in text.parents or isinstance(node, ast.stmt):
            self.statement = text.statement(node)
        self.is_raised = isinstance(node, ast.Raise)
        self.node = getattr(node, "iter", None) or getattr(node, "test", None) or node
        inner = [one for one in ast.walk(self.node) if isinstance(one, (
            ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda))]
        first = {one for outer in inner if hasattr(outer, "generators") for one in ast.walk(outer.generators[0].iter)}
        self.hidden = {one for outer in inner for one in ast.walk(outer) if one is not outer} - first  # other variables

    def value(self, node):
        """An expression's value, or that of the variable of a name; UNKNOWN where it is not known."""
        node = ast.Name(node, ast.Load()) if isinstance(node, str) else node
        return UNKNOWN if node in self.hidden else _syntax.evaluated(self.frame, node, UNKNOWN)

    def names(self, value=UNKNOWN):
        """The variables in the expression that failed; those of one value, if it is given."""
        found = dict.fromkeys(names_in(self.node))
        return [one for one in found if value is UNKNOWN or self.value(one) is value]

    def shape(self, node):
        """The shape of an array; () for other things."""
        return _memory.shape_of(self.value(node))

    def find(self, fits, nodes=None):
        """The first expression in the one that failed whose value fits, the plainest first; (None, None) without one."""
        inner = [one for one in nodes or ast.walk(self.node) if isinstance(one, ast.expr) and not isinstance(one, ast.Constant)]
        for node in sorted(inner, key=lambda one: not isinstance(one, (ast.Name, ast.Attribute, ast.Subscript))):
            value = self.value(node)
            if value is not UNKNOWN and fits(value):
                return node, value
        return None, None

    def parts(self):
        """The expressions that the one that failed works on, and itself: what is iterated over fails by itself."""
        outer = self.text.parents.get(self.exact)
        if isinstance(self.exact, (ast.Tuple, ast.List)) and isinstance(outer, ast.Assign):
            return [outer.value]
        keywords = [word.value for word in getattr(self.node, "keywords", ())]
        return [one for one in (getattr(self.node, "value", None), *operands(self.node), *keywords, self.node)
                if isinstance(one, ast.expr)]

    def typed(self, name, nodes=None):
        return self.find(lambda value: type(value).__name__ == name, nodes)

    def is_(self, node, value=UNKNOWN):
        """What an expression is, with the line that made it so."""
        value = self.value(node) if value is UNKNOWN else value
        text = unparse(node)
        return f"{text if len(text) <= 80 else text[:77] + '...'} is {shown(value)}{self.made(node)}"

    def made(self, node):
        """The line of the only assignment to a variable, in brackets."""
        line = self.maker(node)
        return f" (line {line[0].lineno})" if line and line[0].lineno != self.line else ""

    def maker(self, node, before=None):
        """(statement, value) of the assignment that gave a variable the value that it has before a statement, else before
        the one that failed; None where that is not certain."""
        name, text = node if isinstance(node, str) else getattr(node, "id", None), self.text
        here = before or self.statement
        if not name or name in self.frame.f_code.co_freevars or name in _shared(text.tree) or self._is_inner(name):
            return None
        stores = text.stores(name)
        if not stores:
            found = [] if name in text.parameters or name not in self.frame.f_globals else \
                [one for one in given(ast.Module(text.tree.body, []), name) if one[0] in text.tree.body]
            return found[0] if len(found) == 1 == len(_syntax.variables(text.tree, name, ast.Store)) else None
        last = max((text.statement(one) for one in stores if one.lineno < here.lineno), key=lambda one: one.lineno, default=None)
        outer = [one for one, _ in text.above(here)] if last is not None else ()
        loops = [one for one in text.loops(here) if one not in text.loops(last)] if outer else ()
        changed = any(loop in outer and _syntax.variables(loop, name, ast.Store) for loop in loops)
        if not outer or changed or text.parents[last] not in outer:
            return None
        return next(((one, value) for one, value in given(text.node, name) if one is last), None)

    def source(self, name):
        """As maker(), of the variable of which another is only a second name."""
        made = self.maker(name)
        while made is not None and isinstance(made[1], ast.Name) and (before := self.maker(made[1], made[0])) is not None:
            made = before
        return made

    def is_part(self, node):
        """Returns whether a variable has its value from a scatter: it is returned, or received into."""
        made = self.maker(node)
        return made is not None and (called(made[1]) == "scatter" or any(
            called(one) in ("Scatter", "Scatterv") and node.id in names_in(_syntax.filled(one)) and
            made[0].lineno < one.lineno < self.line for one in ast.walk(self.text.node)))

    def branches(self, function):
        """Yields (if, its statements that this rank does not run, those that it runs) of each condition on the rank."""
        for node in ast.walk(function):
            met = self.value(node.test) if isinstance(node, ast.If) and RANK.search(unparse(node.test)) else UNKNOWN
            if met is not UNKNOWN:
                yield (node, node.orelse, node.body) if met else (node, node.body, node.orelse)

    def skipped(self, name):
        """The line that gives a variable a value in a branch that this rank, by its number, does not take; 0 without one."""
        function = self.text.node if self.text.stores(name) or name in self.text.parameters else self.text.tree
        return next((stores[0].lineno for _, skipped, _ in self.branches(function) for part in skipped
                     if (stores := _syntax.variables(part, name, ast.Store))), 0)

    def call(self, *verbs):
        """The first call of these in the line that failed; None without one."""
        return next(iter(self.text.calls(self.line, verbs)), None)

    def array_call(self):
        """The first call of mpi4py on arrays in the expression that failed; None without one."""
        return next((one for one in ast.walk(self.node) if isinstance(one, ast.Call) and called(one)[:1].isupper()), None)

    def root(self, call):
        """(value, text) of the root of a call of mpi4py."""
        node = argument(call, "root", 2 if called(call) == "reduce" else 1)
        return (0, "0") if node is None else (self.value(node), unparse(node))

    def caller(self):
        """(the place of the call of this function, the parameters' expressions in it); (None, {}) where they are not known."""
        frame, function = self.frame.f_back, self.text.node
        if frame is None or _places.is_foreign(frame.f_code) or not isinstance(function, ast.FunctionDef):
            return None, {}
        place = Place(self.error, frame, frame.f_lineno)
        calls = place.text.calls(place.line, {function.name}) if place.text is not None else ()
        return (place, _syntax.bound(function, calls[0])) if len(calls) == 1 else (None, {})

    def _is_inner(self, name):
        """Returns whether a variable belongs to a comprehension or a lambda around the expression that failed."""
        for outer, _ in self.text.above(self.exact) if self.exact is not None else ():
            bound = [one.target for one in getattr(outer, "generators", ())]
            if name in [one for target in bound for one in names_in(target)] or isinstance(outer, ast.Lambda) and name in [
                    one.arg for one in ast.walk(outer.args) if isinstance(one, ast.arg)]:
                return True
        return False


def _expression(error, frame, text):
    """The expression that an error was raised in; None where Python does not say (before 3.11)."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame is not frame:
        trace = trace.tb_next
    while trace is not None and trace.tb_next is not None and trace.tb_next.tb_frame is frame:
        trace = trace.tb_next
    if trace is None or not hasattr(frame.f_code, "co_positions"):
        return None
    at = list(frame.f_code.co_positions())[trace.tb_lasti // 2]
    for node in ast.walk(text.tree) if None not in at else ():
        if isinstance(node, (ast.expr, ast.stmt)) and \
                (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset) == at:
            return node.value if isinstance(node, ast.Expr) else node
    return None


@functools.lru_cache(64)
def _shared(tree):
    """The names that a function of the program may give another value than its own variable's."""
    return {name for node in ast.walk(tree) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}


def shown(value):
    """A value in a few words."""
    kind = type(value).__name__
    if isinstance(value, types.ModuleType):
        return f"the module {value.__name__}"
    if isinstance(value, (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)):
        return f"the {'class' if isinstance(value, type) else 'function'} {value.__name__}"
    if shape := _memory.shape_of(value):
        return f"{'a tensor' if _memory.is_tensor(value) else 'an array'} of shape {shape}"
    if (count := _syntax.length(value)) is not None and not isinstance(value, (str, range)):
        return f"a {kind} of {count} element{'s' * (count != 1)}"
    if type(value) not in (int, float, bool, complex, str, type(None)) and type(value).__module__ != "numpy":
        return a_kind(kind)  # its words may be the program's, and raise
    words = repr(value) if not isinstance(value, int) or abs(value) < 1 << 128 else ""
    return f"the {kind} {words}" if 0 < len(words) <= 40 and "\n" not in words else a_kind(kind)


def a_kind(kind):
    return f"{'an' if kind[:1] in 'aeiouAEIO' else 'a'} {kind}"


def is_comm(thing):
    """Returns whether a thing is a communicator of mpi4py."""
    return type(thing).__module__.startswith("mpi4py") and type(thing).__name__.endswith(("comm", "Comm"))


def is_world(thing):
    """Returns whether a thing is a communicator of all ranks, whose numbers in it are those that conditions ask for."""
    return is_comm(thing) and (getattr(thing, "rank", None), getattr(thing, "size", 0)) == (_notes.rank(), _notes.size())


def operands(node):
    """The expressions that an operator, an assignment or a call combines."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call):
        return [*node.args, getattr(node.func, "value", node.func)]
    if isinstance(node, ast.Assign):
        return [*node.targets, node.value]
    return [getattr(node, part) for part in ("target", "value", "operand") if hasattr(node, part)]
