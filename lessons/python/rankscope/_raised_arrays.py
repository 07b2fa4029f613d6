"""Says of errors of lists, arrays and tensors which index, length, shape or type does not fit, and which would."""
import ast
import difflib
import os
import re
import sys
import types
from ast import unparse

from . import _memory, _notes, _syntax
from ._place import RANK, SIZE, a_kind, explains, operands
from ._syntax import UNKNOWN, argument, called, names_in


@explains(Exception, "mismatch in send and receive|message truncated|a rank's part has", ours=True)
def _buffers(place, told):
    """Two arrays of a call of mpi4py that do not fit each other."""
    call = place.array_call()
    given_here = [*call.args, *(word.value for word in call.keywords)] if call is not None else ()
    arrays = [one.elts[0] if isinstance(one, (ast.List, ast.Tuple)) and one.elts else one for one in given_here]
    arrays = [one for one in arrays if _memory.is_plain_array(place.value(one))]
    if len(arrays) != 2 or "v" in called(call)[-1:]:
        return None
    sent, room = place.value(arrays[0]), place.value(arrays[1])
    one, other = map(unparse, arrays)
    made = place.maker(arrays[1])
    where = f"in line {made[0].lineno}" if made else f"before line {place.line}"
    verb, ranks = called(call), _notes.size() or 1
    count = sent.size // ranks if "catter" in verb else sent.size * ranks if "ather" in verb else sent.size
    why = f"{one} has {sent.size} elements of {sent.dtype}{place.made(arrays[0])}, {other} {room.size} of {room.dtype}" \
        f"{place.made(arrays[1])}"
    whole = {"catter": f"; each of the {ranks} ranks gets {count}", "ather": f"; {count} come from {ranks} ranks"}
    why += next((text for part, text in whole.items() if part in verb), "") + "."
    if room.size == count and sent.dtype == room.dtype:
        return why, f"Leave the MPI types out {place.at}, or name the one of these arrays on both sides."
    if room.size == count and sent.dtype != room.dtype:
        return why, f"Give {other} the type {sent.dtype} {where} (dtype={one}.dtype)."
    return why, f"Write {other} = numpy.empty({count}, dtype={one}.dtype) {where}."


# ---- kinds of values ----

@explains(TypeError, r"'(\w+)' object is not iterable|cannot unpack non-iterable (\w+)|iteration over a 0-d (array|tensor)|"
                      r"object of type '(\w+)' has no len|'(\w+)' object is not reversible")
def _not_iterable(place, told):
    kind = next(one for one in told.groups() if one)
    outer = place.node
    nodes = outer.args if isinstance(outer, ast.Call) and isinstance(
        place.value(outer.func), (type, types.BuiltinFunctionType)) else place.parts() if not isinstance(outer, ast.Call) else []
    node, value = place.typed({"array": "ndarray", "tensor": "Tensor"}.get(kind, kind), nodes)
    loops = isinstance(place.statement, ast.For) and outer is place.statement.iter or any(
        isinstance(one, ast.comprehension) and one.iter is outer for one in ast.walk(place.statement))
    if node is None:
        return None
    one, line = unparse(node), place.at
    why = f"{place.is_(node, value)}: one value, and no sequence."
    if loops and node is outer:
        return why, f"Write range({one if isinstance(value, int) else f'int({one})'}) {line}." if isinstance(value, (int, float)) \
            else f"Loop over a list or an array {line}."
    verb = called(outer)
    if verb in ("list", "tuple", "set"):
        return why, f"Write {dict(list='[{}]', tuple='({},)', set='{{{}}}')[verb].format(one)} {line}, if it is to hold this value."
    if verb in ("sum", "max", "min", "sorted", "len", "enumerate", "zip", "map", "join"):
        brought = place.maker(node)
        brought = f": {called(brought[1])} has combined the ranks' values already" if brought and called(brought[1]) in (
            "reduce", "allreduce") else ""
        return why, f"Write {one} alone for {verb}({one}) {line}{brought}; or give {verb} the list that is meant."
    if isinstance(place.statement, ast.Assign) and isinstance(place.statement.targets[0], (ast.Tuple, ast.List)):
        return why, f"Give it one name on the left {line}, or return as many values as there are names."
    return why, f"Give it a list or an array {line}: [{one}] has this one element."


@explains(TypeError, r"'([\w.]+)' object (?:is not subscriptable|does not support item assignment)")
def _not_subscriptable(place, told):
    node = place.node.value if isinstance(place.node, ast.Subscript) else None
    if node is None:
        return None
    value = place.value(node)
    if value is not UNKNOWN and type(value).__name__ != told[1].rpartition(".")[2]:
        return None
    why = place.is_(node, value) + "." if value is not UNKNOWN else f"{unparse(node)} is {a_kind(told[1])}."
    index = unparse(place.node.slice)
    if callable(value):
        return why, f"Write {unparse(node)}({index}) {place.at}, with round brackets."
    if told[1] in ("tuple", "str", "bytes"):
        return why, f"{a_kind(told[1]).capitalize()} cannot be changed: make a list of it before (list({unparse(node)}))."
    if told[1] == "set":
        return why, f"Make a list of it: list({unparse(node)})[{index}]."
    maker = place.maker(node)
    brought = f" what {called(maker[1])} returns is the value itself" if maker and called(maker[1]) in _syntax.BOUND else \
        f" it is {a_kind(told[1] or 'type')}, with no elements"
    return why, f"Write {unparse(node)} without [{index}] {place.at}:{brought}."


@explains(TypeError, r"unsupported operand type\(s\) for (\S+): '([\w.]+)' and '([\w.]+)'|"
                      r"'(\S+)' not supported between instances of '([\w.]+)' and '([\w.]+)'|"
                      r"can only concatenate (\w+) \(not \"([\w.]+)\"\) to|can't multiply sequence by non-int of type '([\w.]+)'|"
                      r"must be str, not (\w+)|ufunc '(\w+)' did not contain a loop|bad operand type for unary (\S): '([\w.]+)'|"
                      r"not all arguments converted during string formatting")
def _operands(place, told):
    node = place.node
    if isinstance(node, ast.Call):
        return _elements(place, node)
    parts = [(one, place.value(one)) for one in operands(node)]
    known = [(one, value) for one, value in parts if value is not UNKNOWN]
    if not known:
        return None
    why, line = ", and ".join(place.is_(one, value) for one, value in known if not isinstance(one, ast.Constant)), place.at
    why += "." if why else ""
    texts = [(one, value) for one, value in known if isinstance(value, str) and not isinstance(one, ast.Constant)]
    numbers = [one for one, value in known if isinstance(value, (int, float))]
    lists = [one for one, value in known if type(value) in (list, tuple)]
    kind = next((kind for kind in (int, float) if texts and _reads_as(kind, texts[0][1])), None)
    if kind is not None and numbers:
        return why, f"Write {kind.__name__}({unparse(texts[0][0])}) {line}: what is read or given as an argument is text."
    is_sum = isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Add)
    if numbers and is_sum and any(isinstance(value, str) for _, value in known):
        return why, f"Write str({unparse(numbers[0])}) {line}, or an f-string."
    for one, value in known:
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)):
            return why, f"Call it: {unparse(one)}() {line}."
        if type(value).__name__ in ("Request", "Work"):
            return None
    if lists and sys.modules.get("numpy") is not None and not isinstance(node, ast.Compare) and all(
            isinstance(value, (int, float)) or _memory.shape_of(value) or _is_numbers(value) for _, value in parts):
        one, made = unparse(lists[0]), f"numpy.array({unparse(lists[0])})"
        return why, f"Write {one} + [{unparse(numbers[0])}] {line} to append it, or {made} to add it to each element." \
            if numbers and is_sum else f"Write {made} {line}: arrays are computed with element by element, lists are not."
    odd = [one for one, value in parts if not isinstance(value, (int, float))]
    return why, f"Give {unparse(odd[0])} a number or an array before line {place.line}, or use the part of it that is meant." \
        if len(odd) == 1 and len(odd) < len(parts) else ""


def _is_numbers(value):
    return type(value) in (list, tuple) and all(isinstance(one, (int, float)) for one in value)


def _elements(place, call):
    """Elements of several types that sum, max, min or sorted combines or compares."""
    things = place.value(call.args[0]) if len(call.args) == 1 and not call.keywords else UNKNOWN
    kinds = sorted({type(one).__name__ for one in things}) if type(things) in (list, tuple, set) else ()
    if len(kinds) < 2 or not any(place.value(call.func) is one for one in (sum, max, min, sorted)):
        return None
    return f"{unparse(call.args[0])[:60]}{place.made(call.args[0])} has elements of the types {', '.join(kinds)}.", \
        f"Give it elements of one type before line {place.line}, or leave those out that are not meant."


def _reads_as(kind, text):
    try:
        kind(text)
    except ValueError:
        return False
    return True


@explains(TypeError, r"'(str)' object cannot be interpreted as an integer|must be real number, not (str)|"
                      r"indices must be integers or slices, not (str|tuple|list)|an integer is required")
def _text_for_number(place, told):
    kind = next((one for one in told.groups() if one), "str")
    if kind == "tuple" and isinstance(place.node, ast.Subscript):
        one = unparse(place.node.value)
        index = "][".join(unparse(part) for part in getattr(place.node.slice, "elts", [place.node.slice]))
        return f"{one} is a list{place.made(place.node.value)}: it has no rows and columns.", \
            f"Write {one}[{index}] {place.at}, or make an array of it: numpy.array({one})."
    node, value = place.typed(kind, [place.node.slice] if isinstance(place.node, ast.Subscript) else place.parts())
    return (place.is_(node, value) + ".", f"Write int({unparse(node)}) {place.at}: what is read or given as an argument is text."
            if _reads_as(int, value) else "") if node is not None and kind == "str" else None


@explains(TypeError, r"only (?:size-1|length-1|0-dimensional) arrays can be converted|only one element tensors can be converted")
def _one_of_many(place, told):
    node, value = place.find(lambda value: bool(_memory.shape_of(value)),
                             [place.statement.value] if place.exact in getattr(place.statement, "targets", ()) else place.parts())
    return (f"{place.is_(node, value)}, and one number is wanted here.", f"Write {unparse(node)}[0] (or .sum()) in line "
            f"{place.line}, as it is meant.") if node is not None else None


@explains((TypeError, ValueError), "setting an array element with a sequence")
def _one_of_one(place, told):
    for name in names_in(getattr(place.statement, "value", None)):
        if place.shape(name) == (1,):
            return f"{name} is an array with one element, and an element of an array takes a number.", \
                f"Write {name}[0] {place.at}."
    return None


@explains(TypeError, r"Cannot interpret '(.*)' as a data type|data type not understood")
def _two_sizes(place, told):
    call = place.node if isinstance(place.node, ast.Call) and len(place.node.args) > 1 else None
    if called(call) not in ("zeros", "ones", "empty", "full"):
        return None
    sizes = ", ".join(unparse(one) for one in call.args)
    return f"NumPy takes {unparse(call.args[1])} for the type of the elements: the shape is one argument.", \
        f"Write {unparse(call.func)}(({sizes})) {place.at}."


# ---- lengths and indices ----

@explains(IndexError)
def _index(place, told):
    node = place.node if isinstance(place.node, ast.Subscript) else next(
        (one for one in ast.walk(place.node) if isinstance(one, ast.Subscript) and _is_outside(place, one)), None)
    if node is None or isinstance(node.slice, ast.Slice):
        return None
    parts = getattr(node.slice, "elts", [node.slice])
    things = place.value(node.value)
    if things is UNKNOWN:
        return None
    if things is sys.argv:
        return f"The program reads argument {unparse(node.slice)} of its command line, and was given {len(sys.argv) - 1}.", \
            f"Give it behind the file's name: {os.path.basename(sys.argv[0])} ..."
    shape = place.shape(node.value) or ((len(things),) if type(things) in (list, tuple, str, range, bytes) else ())
    for axis, part in enumerate(parts[:len(shape)]):
        index, size = place.value(part), shape[axis]
        if type(index).__module__ not in ("builtins", "numpy", "torch") or isinstance(index, (slice, str)) or \
                -size <= (index := int(index)) < size:
            continue
        one = unparse(node.value)
        there = f"{one}{place.made(node.value)} has {size} element{'s' * (size != 1)}" + (
            f" in dimension {axis}" if len(shape) > 1 else "")
        why = f"{there}, and {unparse(part)} is {index}." if not isinstance(part, ast.Constant) else f"{there}."
        if not size:
            return why, f"Fill {one} before line {place.line}, or use append."
        return why, _fitting(place, node, part, index, size)
    return None


def _is_outside(place, node):
    things, index = place.value(node.value), place.value(node.slice)
    return isinstance(things, (list, tuple, str)) and isinstance(index, int) and not -len(things) <= index < len(things)


def _fitting(place, node, part, index, size):
    """What makes an index fit: the loop's bound, the rank's own part, or one less."""
    one, name = unparse(node.value), getattr(part, "id", None)
    if index < 0 or isinstance(node.slice, ast.Tuple):
        return f"Use an index from {-size if index < 0 else 0} to {size - 1}" + (
            " in this dimension." if isinstance(node.slice, ast.Tuple) else ".")
    part_of_all = place.is_part(node.value)
    for loop in place.text.loops(place.statement):
        if isinstance(loop, ast.For) and name in names_in(loop.target) and called(loop.iter) == "range":
            if part_of_all:
                return f"{one} is this rank's part alone: go through range(len({one})) in line {loop.lineno}."
            return f"Let the loop in line {loop.lineno} end at {size}: range(len({one}))" + (
                f", or give {one} {index + 1} elements or more." if index < 4 * size else ".")
    if index == _notes.rank() and RANK.fullmatch(unparse(part)) and size < _notes.size():
        return f"Give {one} one element for each rank, or start the program with -n {size}."
    if index == size and not isinstance(part, ast.Constant):
        return f"The last index is {size - 1}: numbers that begin with 1 need - 1 ({one}[{unparse(part)} - 1]), or {one} one " \
            "element more."
    if part_of_all:
        return f"{one} is this rank's part alone: count from 0 in it."
    return f"Give {one} {index + 1} elements or more, or use an index from 0 to {size - 1}."


@explains(KeyError)
def _key(place, told):
    node = place.node if isinstance(place.node, ast.Subscript) else None
    things = place.value(node.value) if node is not None else UNKNOWN
    if not place.error.args or not (isinstance(things, dict) or things is os.environ):
        return None
    key, one, asked = place.error.args[0], unparse(node.value), place.value(node.slice)
    if type(key) not in (str, int, float, bool, tuple, bytes, type(None)) or key in things or \
            (asked is UNKNOWN or asked != key) and not (asked is UNKNOWN and place.exact is node):
        return None
    if things is os.environ:
        own = {"OMPI_COMM_WORLD_RANK": "RANK", "PMI_RANK": "RANK", "SLURM_PROCID": "RANK", "OMPI_COMM_WORLD_SIZE": "WORLD_SIZE",
               "PMI_SIZE": "WORLD_SIZE", "SLURM_NTASKS": "WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK": "LOCAL_RANK",
               "SLURM_LOCALID": "LOCAL_RANK"}.get(key)
        return f"The environment has no {key}" + (f"; rankscope sets {own}, as torchrun does." if own else "."), \
            f"Read {own} {place.at}." if own else f"Set it before: {key}=... rankscope exec ..."
    keys = list(dict.keys(things))
    near = {str(other): other for other in keys if isinstance(other, (str, int))}
    lower = str(key).lower()
    close = [other for other in near if other.lower() == lower or other.lower().startswith(f"{lower}_")] or \
        difflib.get_close_matches(str(key), list(near), 1, 0.6)
    listed = ", ".join(repr(other) if type(other) in (str, int, float, tuple) else "..." for other in keys[:8]) or "none"
    return f"{one}{place.made(node.value)} has no key {key!r}; it has {listed}{', ...' if len(keys) > 8 else ''}.", (
        f"Write {near[close[0]]!r} {place.at}, if that is meant." if close and isinstance(node.slice, ast.Constant) else
        f"Give {one} this key before line {place.line}, or read it with {one}.get({unparse(node.slice)}).")


@explains((ValueError, RuntimeError),
          r"could not be broadcast together|could not broadcast input array|not aligned|mismatch in its core|size of tensor a|"
          r"shapes cannot be multiplied|must match the existing size|inconsistent tensor size|size mismatch|output with shape")
def _shapes(place, told):
    node = place.node
    arrays = []
    for one in [node, getattr(place.statement, "value", node)] if isinstance(node, ast.Subscript) else operands(node):
        inner = [one] if place.shape(one) else [leaf for leaf in ast.walk(one) if isinstance(leaf, ast.Name)]
        arrays += [(leaf, place.shape(leaf)) for leaf in inner if place.shape(leaf)]
    if len(arrays) < 2:
        return None
    (one, first), (other, second) = arrays[:2]
    why = f"{unparse(one)} has the shape {first}{place.made(one)}, and {unparse(other)} has {second}{place.made(other)}."
    ranks, where = _notes.size(), place.at
    whole, part = (one, other) if len(first) and first[0] > second[0] else (other, one)
    lengths = sorted((first[0], second[0]))
    if ranks > 1 and lengths[1] == lengths[0] * ranks and place.is_part(part):
        return why, f"{unparse(part)} is this rank's part: if {unparse(whole)} is all ranks' data, use its {lengths[0]} rows or " \
            f"elements that belong to this rank {where}, or gather the parts first."
    product = told[0] in ("not aligned", "mismatch in its core", "shapes cannot be multiplied")
    if product and len(second) == 2 and first[-1] == second[1]:
        return why, f"Write {unparse(other)}.T {where}: the columns of the first have to be as many as the rows of the second."
    at = [place.maker(one), place.maker(other)]
    lines = " and ".join(str(made[0].lineno) for made in at if made)
    lines = f", where they are made (line {lines})" if lines else ""
    return why, f"Give both one length{lines}: the shapes have to agree {where}."


@explains((ValueError, RuntimeError), r"cannot reshape array of size (\d+)|is invalid for input of size (\d+)")
def _reshape(place, told):
    count = int(told[1] or told[2])
    call = next((one for one in ast.walk(place.node) if called(one) in ("reshape", "view")), None)
    if call is None:
        return None
    asked = call.args[0].elts if call.args and isinstance(call.args[0], (ast.Tuple, ast.List)) else call.args
    sizes = [place.value(one) for one in asked]
    shape = ", ".join(unparse(one) if isinstance(one, ast.Constant) or size is UNKNOWN else f"{unparse(one)} = {size}"
                      for one, size in zip(asked, sizes))
    if isinstance(call.func, ast.Attribute) and isinstance(place.value(call.func.value), types.ModuleType):
        return None
    rows = sizes[-1] if len(sizes) == 2 and isinstance(sizes[-1], int) and sizes[-1] > 0 else 0
    owner = unparse(call.func.value) if isinstance(call.func, ast.Attribute) else "The array"
    return f"{owner} has {count} elements here, and the shape is ({shape}).", (
        f"Write reshape({count // rows}, {unparse(asked[-1])}) or reshape(-1, {unparse(asked[-1])}) {place.at}."
        if rows and count % rows == 0 else
        f"Make the product of the shape {count} {place.at}: a rank's part has fewer rows than the whole, and -1 lets one "
        "dimension be computed.")


@explains(ValueError, r"inhomogeneous shape")
def _ragged(place, told):
    call = next((one for one in ast.walk(place.node) if called(one) in ("array", "asarray") and one.args), None)
    rows = place.value(call.args[0]) if call is not None else UNKNOWN
    if not isinstance(rows, (list, tuple)):
        return None
    counts = [str(_syntax.length(row) or 1) for row in rows[:6]]
    if len(set(counts)) == 1:
        return None
    lengths = ", ".join(counts)
    return f"The rows of {unparse(call.args[0])[:60]} have {lengths} elements; an array's rows have one length.", \
        f"Make the rows equally long {place.at}, or keep the list and send it with a lower-case call (send, gather ...), which " \
        "takes any object."


@explains(ValueError, r"(?:not enough|too many) values to unpack \(expected (at least )?(\d+)(?:, got (\d+))?")
def _unpack(place, told):
    target, outer = place.exact, place.text.parents.get(place.exact)
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(target.ctx, ast.Store):
        return None
    if isinstance(outer, (ast.For, ast.AsyncFor, ast.comprehension)):
        what, known = f"an element of {unparse(outer.iter)[:60]}", UNKNOWN
    elif isinstance(outer, ast.Assign):
        what, known = unparse(outer.value)[:60], place.value(outer.value)
    else:
        what, known = "what it gets", UNKNOWN
    got = told[3] or (len(known) if isinstance(known, (list, tuple, str)) else "more")
    return f"There are {told[1] or ''}{told[2]} names on the left, and {what} has {got} value{'s' * (got not in (1, '1'))}.", \
        f"Give as many names as there are values {place.at}."


@explains(ValueError, r"invalid literal for int\(\) with base \d+: (.*)|could not convert string to float: (.*)")
def _literal(place, told):
    words = (told[1] or told[2]).strip()
    node = place.node if isinstance(place.node, ast.Call) and place.node.args and called(place.node) in ("int", "float") else None
    source = unparse(node.args[0]) if node is not None else "the text"
    if words in ("''", '""'):
        return f"{source if node is not None else 'The text'} is empty.", \
            f"Give the program its input, or leave empty lines out before line {place.line}."
    given = "The text" if node is None else "" if isinstance(node.args[0], ast.Constant) else source
    return f"{f'{given} is {words}, which' if given else words} is no {'whole ' if told[1] else ''}number.", (
        f"Write int(float({source})) {place.at}, or give a whole number." if told[1] and node is not None and re.fullmatch(
            r"'-?\d*\.\d*'", words) else f"Give a number there, or take the number out of the text before line {place.line}.")


@explains((ValueError, RuntimeError), r"truth value of an array|Boolean value of Tensor with more")
def _truth(place, told):
    test = getattr(place.statement, "test", place.node)
    if isinstance(place.exact, ast.Call):  # a function has asked
        verb = called(place.exact)
        part = argument(place.exact, f"{verb}_list", 1) if verb in ("scatter", "gather") else None
        return (f"{unparse(part)} is one tensor; {verb} takes a list with a tensor for each rank, on the root alone.",
                f"Pass list({unparse(part)}.chunk(dist.get_world_size())) on the root, and None on the others."
                ) if part is not None and _memory.is_tensor(place.value(part)) else None
    while isinstance(test, ast.BoolOp) or isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = getattr(test, "values", None) or [test.operand]
        test = next((one for one in inner if len(inner) == 1 or place.shape(one) not in ((), (1,))), None)
    node = _array_in(place, test) if test is not None else None
    if test is None:
        return None
    chained = isinstance(test, ast.Compare) and len(test.ops) > 1
    pairs = zip([test.left, *test.comparators], test.ops, test.comparators) if isinstance(test, ast.Compare) else ()
    each = " & ".join(f"({unparse(ast.Compare(left, [op], [right]))})" for left, op, right in pairs)
    asks = each if chained else f"({unparse(test)})"
    plain = isinstance(test, (ast.Name, ast.Attribute, ast.Subscript)) or isinstance(test, ast.Compare) and not any(
        isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for op in test.ops)
    is_none = any(map(_syntax.is_none, getattr(test, "comparators", ())))
    what = place.is_(node) if node is not None else unparse(test)[:80]
    return f"{what}: a condition needs one answer, and this has one for each element.", (
        f"Write is for == {place.at}: None is one object." if is_none else
        f"Write {f'({asks})' if chained else asks}.any() or .all() {place.at}.") if plain else ""


def _array_in(place, test):
    """The first variable in a condition that is an array of some elements; None without one."""
    return next((one for one in ast.walk(test) if isinstance(one, ast.Name) and place.shape(one) not in ((), (1,))), None)


@explains(ValueError, r"(max|min)\(\)|zero-size array to reduction operation (\w+)|Cannot (?:take|choose).*empty|empty range|"
                       r"arg is an empty sequence|iterable argument is empty")
def _empty(place, told):
    node, _ = place.find(lambda value: _syntax.length(value) == 0, place.parts())
    return (f"{unparse(node)}{place.made(node)} has no elements on this rank.",
            f"Leave empty parts out (if len({unparse(node)}):) before line {place.line}, or start fewer ranks than there are "
            "elements.") if node is not None else None


@explains(ZeroDivisionError)
def _division(place, told):
    node = place.node
    under = node.right if isinstance(node, ast.BinOp) else node.value if isinstance(node, ast.AugAssign) else None
    value = place.value(under) if under is not None else UNKNOWN
    if isinstance(under, ast.Constant) or not isinstance(value, (int, float)) or value != 0 or \
            not isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)):
        return None
    made = place.maker(under)
    why, source = f"{unparse(under)} is 0 here{place.made(under)}.", made[1] if made else under
    ranks = _notes.size()
    for one in ast.walk(source):
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.FloorDiv):
            left, right = place.value(one.left), place.value(one.right)
            if isinstance(left, int) and isinstance(right, int) and 0 < left < right:
                return f"{why[:-1]}: {unparse(one)} is 0 for {left} and {right}.", (
                    f"Start the program with -n {left} or fewer, or give it more work."
                    if right == ranks and SIZE.fullmatch(unparse(one.right)) else
                    f"Write / in line {made[0].lineno if made else place.line}, if a fraction is meant, or give it {right} or "
                    "more.")
    if ranks == 1 and isinstance(source, ast.BinOp) and isinstance(source.op, ast.Sub) and place.value(source.left) == 1 and \
            SIZE.fullmatch(unparse(source.left)):
        return f"{why[:-1]} with 1 rank.", \
            f"Start the program with more ranks (-n 2), or leave the division out where {unparse(under)} is 0."
    return why, f"Give {unparse(under)} another value before line {place.line}, or divide only where it is not 0."


# ---- torch ----

@explains((RuntimeError, AssertionError, ValueError), r"not compiled with CUDA|No CUDA GPUs|no NVIDIA driver|CUDA-capable")
def _cuda(place, told):
    return "There is no GPU here.", \
        f"Write \"cpu\" for the device {place.at} (and gloo as the backend), or choose it by torch.cuda.is_available()."


@explains(RuntimeError, r"expected (?:scalar type|m1 and m2 to have the same dtype)|can't be cast to the desired output type|"
                        r"Expected all tensors to have the same dtype|must have the same dtype|Only Tensors of floating point|"
                        r"could not infer (?:output )?dtype|Input dtype must be")
def _dtype(place, told):
    found = {}
    for one in ast.walk(place.statement):
        value = place.value(one) if isinstance(one, (ast.Name, ast.Attribute)) else UNKNOWN
        if _memory.is_tensor(value):
            found[unparse(one)] = (one, str(value.dtype).replace("torch.", ""))
    if not found:
        return None
    why = ", and ".join(f"{name} is of {dtype}{place.made(one)}" for name, (one, dtype) in list(found.items())[:3]) + "."
    whole = [name for name, (_, dtype) in found.items() if "int" in dtype]
    double = [name for name, (_, dtype) in found.items() if dtype == "float64"]
    target = (whole or double or list(found))[0]
    if isinstance(place.statement, ast.AugAssign) and whole == [unparse(place.statement.target)]:
        copy = ast.BinOp(ast.parse(target, mode="eval").body, place.statement.op, place.statement.value)
        return why, f"Write {target} = {unparse(copy)} {place.at}, or make {target} with dtype=torch.float32."
    return why, f"Write {target}.float() {place.at}, or make {target} with dtype=torch.float32."


@explains(RuntimeError, r"leaf Variable that requires grad is being used in an in-place|does not require grad and does not have|"
                        r"Can't call numpy\(\) on Tensor that requires grad")
def _grad(place, told):
    if "does not require" in told[0]:
        return "What backward() is called of depends on no parameter with requires_grad.", \
            "Compute the loss from the model's output, outside of torch.no_grad() and without detach() or .item()."
    if "numpy" in told[0]:
        return "torch keeps the gradients' way through this tensor.", f"Write .detach().numpy() {place.at}."
    return "torch keeps the gradients' way through this parameter, so it cannot be changed in place.", \
        f"Change its .data (or inside of with torch.no_grad():) {place.at}."


RULES = (_buffers, _not_iterable, _not_subscriptable, _operands, _text_for_number, _one_of_many, _one_of_one, _two_sizes,
         _index, _key, _shapes, _reshape, _ragged, _unpack, _literal, _truth, _empty, _division, _cuda, _dtype, _grad)
