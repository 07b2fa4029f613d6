"""Says of errors of lists, arrays and tensors which index, length, shape or type does not fit, and which would."""
import ast
import difflib
import os
import re
import sys
from ast import unparse

from . import _memory, _notes
from ._raised import UNKNOWN, explains, operands
from ._syntax import called, given, names_in

_BROUGHT = {"scatter", "Scatter", "Scatterv", "recv", "Recv"}  # calls that bring a rank its part


def buffers(place, words):
    """(why, advice) about two arrays of a call of mpi4py that do not fit each other; None where they are not known."""
    if not re.search("mismatch in send and receive|message truncated|a rank's part has", words):
        return None
    call = next((one for one in ast.walk(place.node) if isinstance(one, ast.Call) and called(one)[:1].isupper()), None)
    given_here = [*call.args, *(word.value for word in call.keywords)] if call is not None else ()
    arrays = [one.elts[0] if isinstance(one, (ast.List, ast.Tuple)) and one.elts else one for one in given_here]
    arrays = [one for one in arrays if hasattr(place.value(one), "dtype") and hasattr(place.value(one), "size")]
    if len(arrays) != 2 or "v" in called(call)[-1:]:
        return None
    sent, room = place.value(arrays[0]), place.value(arrays[1])
    one, other = map(unparse, arrays)
    made = [node for node, value in given(place.text.tree, getattr(arrays[1], "id", "")) if not isinstance(value, ast.Constant)]
    where = f"in line {made[0].lineno}" if len(made) == 1 else f"before line {place.line}"
    verb, ranks = called(call), _notes._joined["size"] if _notes._joined else 1
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


# ---- lengths and indices ----

@explains(IndexError)
def _index(place, told, error):
    node = place.node if isinstance(place.node, ast.Subscript) else next(
        (one for one in ast.walk(place.node) if isinstance(one, ast.Subscript) and _is_outside(place, one)), None)
    if node is None or isinstance(node.slice, ast.Slice):
        return None
    parts = getattr(node.slice, "elts", [node.slice])
    things, shape = place.value(node.value), None
    if things is UNKNOWN:
        return None
    if things is sys.argv:
        return f"The program reads argument {unparse(node.slice)} of its command line, and was given {len(sys.argv) - 1}.", \
            f"Give it behind the file's name: {os.path.basename(sys.argv[0])} ..."
    shape = tuple(getattr(things, "shape", ())) or (len(things),)
    for axis, part in enumerate(parts[:len(shape)]):
        index, size = place.value(part), shape[axis]
        try:
            index = int(index)
        except (TypeError, ValueError):
            continue
        if -size <= index < size:
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
    return hasattr(things, "__len__") and isinstance(index, int) and not -len(things) <= index < len(things)


def _fitting(place, node, part, index, size):
    """What makes an index fit: the loop's bound, the rank's own part, or one less."""
    one, name = unparse(node.value), getattr(part, "id", None)
    made, joined = place.maker(node.value), _notes._joined
    ranks = joined["size"] if joined else 0
    part_of_all = made is not None and called(made[1]) in _BROUGHT or _is_received(place, node.value)
    for loop in place.text.loops(place.statement):
        if isinstance(loop, ast.For) and name in names_in(loop.target) and called(loop.iter) == "range":
            if part_of_all:
                return f"{one} is this rank's part alone: go through range(len({one})) in line {loop.lineno}."
            return f"Let the loop in line {loop.lineno} end at {size}: range(len({one}))" + (
                f", or give {one} {index + 1} elements or more." if index < 4 * size else ".")
    if joined and index == joined["rank"] or (index < ranks and size < ranks):
        return f"Give {one} one element for each rank, or start the program with -n {size}."
    if index == size:
        return f"The last index is {size - 1}: numbers that begin with 1 need - 1 ({one}[{unparse(part)} - 1]), or {one} one " \
            "element more."
    if part_of_all:
        return f"{one} is this rank's part alone: count from 0 in it."
    return f"Give {one} {index + 1} elements or more, or use an index from 0 to {size - 1}."


def _is_received(place, node):
    """Returns whether a variable is memory that a call receives this rank's part into."""
    return isinstance(node, ast.Name) and any(called(one) in ("Scatter", "Scatterv", "Recv", "scatter", "recv") and any(
        node.id in names_in(argument) for argument in one.args[:2]) for one in ast.walk(place.text.tree))


@explains(KeyError)
def _key(place, told, error):
    node = next((one for one in ast.walk(place.node) if isinstance(one, ast.Subscript)), None)
    things = place.value(node.value) if node is not None else UNKNOWN
    if not error.args or things is UNKNOWN or not hasattr(things, "keys"):
        return None
    key, one = error.args[0], unparse(node.value)
    if things is os.environ:
        own = {"OMPI_COMM_WORLD_RANK": "RANK", "PMI_RANK": "RANK", "SLURM_PROCID": "RANK", "OMPI_COMM_WORLD_SIZE": "WORLD_SIZE",
               "PMI_SIZE": "WORLD_SIZE", "SLURM_NTASKS": "WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK": "LOCAL_RANK",
               "SLURM_LOCALID": "LOCAL_RANK"}.get(key)
        return f"The environment has no {key}" + (f"; rankscope sets {own}, as torchrun does." if own else "."), \
            f"Read {own} {place.at}." if own else f"Set it before: {key}=... rankscope exec ..."
    keys = list(things)[:8]
    close = [other for other in map(str, things) if other.lower() == str(key).lower() or other.lower().startswith(
        f"{str(key).lower()}_")] or \
        difflib.get_close_matches(str(key), [str(other) for other in things], 1, 0.6)
    return f"{one}{place.made(node.value)} has no key {key!r}; it has {', '.join(map(repr, keys)) or 'none'}.", (
        f"Write {close[0]!r} {place.at}." if close and isinstance(key, str) else
        f"Give {one} this key before line {place.line}, or read it with {one}.get({unparse(node.slice)}).")


@explains((ValueError, RuntimeError),
          r"could not be broadcast together|could not broadcast input array|not aligned|mismatch in its core|size of tensor a|"
          r"shapes cannot be multiplied|must match the existing size|inconsistent tensor size|size mismatch|output with shape")
def _shapes(place, told, error):
    node = place.node
    arrays = []
    for one in [node, getattr(place.statement, "value", node)] if isinstance(node, ast.Subscript) else operands(node):
        inner = [one] if place.shape(one) else [leaf for leaf in ast.walk(one) if isinstance(leaf, ast.Name)]
        arrays += [(leaf, place.shape(leaf)) for leaf in inner if place.shape(leaf)]
    if len(arrays) < 2:
        return None
    (one, first), (other, second) = arrays[:2]
    why = f"{unparse(one)} has the shape {first}{place.made(one)}, and {unparse(other)} has {second}{place.made(other)}."
    ranks = _notes._joined["size"] if _notes._joined else 0
    whole, part = (one, other) if len(first) and first[0] > second[0] else (other, one)
    lengths = sorted((first[0], second[0]))
    where = place.at
    if ranks > 1 and lengths[1] == lengths[0] * ranks:
        return why, f"{unparse(part)} is one rank's part and {unparse(whole)} all ranks' data: take this rank's " \
            f"{lengths[0]} of it {where}, as {unparse(whole)}[rank * {lengths[0]}:(rank + 1) * {lengths[0]}], or gather the " \
            "parts first."
    product = told[0] in ("not aligned", "mismatch in its core", "shapes cannot be multiplied")
    if product and len(second) == 2 and first[-1] == second[1]:
        return why, f"Write {unparse(other)}.T {where}: the columns of the first have to be as many as the rows of the second."
    at = [place.maker(one), place.maker(other)]
    lines = " and ".join(str(made[0].lineno) for made in at if made)
    lines = f", where they are made (line {lines})" if lines else ""
    return why, f"Give both one length{lines}: the shapes have to agree {where}."


@explains((ValueError, RuntimeError), r"cannot reshape array of size (\d+)|is invalid for input of size (\d+)")
def _reshape(place, told, error):
    count = int(told[1] or told[2])
    call = next((one for one in ast.walk(place.node) if called(one) in ("reshape", "view")), None)
    if call is None:
        return None
    asked = [one for one in call.args] if not (call.args and isinstance(call.args[0], (ast.Tuple, ast.List))) else call.args[0].elts
    sizes = [place.value(one) for one in asked]
    shape = ", ".join(str(size) if isinstance(one, ast.Constant) else f"{unparse(one)} = {size}" for one, size in zip(asked, sizes))
    rows = sizes[-1] if len(sizes) == 2 and isinstance(sizes[-1], int) and sizes[-1] > 0 else 0
    owner = unparse(call.func.value) if isinstance(call.func, ast.Attribute) else "The array"
    return f"{owner} has {count} elements here, and the shape is ({shape}).", (
        f"Write reshape({count // rows}, {unparse(asked[-1])}) or reshape(-1, {unparse(asked[-1])}) {place.at}."
        if rows and count % rows == 0 else
        f"Make the product of the shape {count} {place.at}: a rank's part has fewer rows than the whole, and -1 lets one "
        "dimension be computed.")


@explains(ValueError, r"inhomogeneous shape")
def _ragged(place, told, error):
    call = next((one for one in ast.walk(place.node) if called(one) in ("array", "asarray") and one.args), None)
    rows = place.value(call.args[0]) if call is not None else UNKNOWN
    if not isinstance(rows, (list, tuple)):
        return None
    lengths = ", ".join(str(len(row)) if hasattr(row, "__len__") else "1" for row in rows[:6])
    return f"The rows of {unparse(call.args[0])[:60]} have {lengths} elements; an array's rows have one length.", \
        f"Make the rows equally long {place.at}, or keep the list and send it with a lower-case call (send, gather ...), which " \
        "takes any object."


@explains(ValueError, r"(?:not enough|too many) values to unpack \(expected (?:at least )?(\d+)(?:, got (\d+))?")
def _unpack(place, told, error):
    value = getattr(place.statement, "value", None) or getattr(place.statement, "iter", None)
    known = place.value(value) if value is not None else UNKNOWN
    got = told[2] or (len(known) if hasattr(known, "__len__") else "more")
    what = unparse(value) if value is not None else "the value"
    return f"There are {told[1]} names on the left, and {what[:60]} has {got} values.", \
        f"Give as many names as there are values {place.at}."


@explains(ValueError, r"invalid literal for int\(\) with base \d+: (.*)|could not convert string to float: (.*)")
def _literal(place, told, error):
    words = (told[1] or told[2]).strip()
    node = next((one for one in ast.walk(place.node) if isinstance(one, ast.Call) and one.args), None)
    source = unparse(node.args[0]) if node is not None else "the text"
    if words in ("''", '""'):
        return f"{source} is empty.", f"Give the program its input, or leave empty lines out before line {place.line}."
    return f"{source} is {words}, which is no {'whole ' if told[1] else ''}number.", (
        f"Write int(float({source})) {place.at}, or give a whole number." if told[1] and re.fullmatch(
            r"'-?\d*\.\d*'", words) else f"Give a number there, or take the number out of the text before line {place.line}.")


@explains((ValueError, RuntimeError), r"truth value of an array|Boolean value of Tensor with more")
def _truth(place, told, error):
    test = getattr(place.statement, "test", place.node)
    node = next((one for one in ast.walk(test) if isinstance(one, ast.Name) and place.shape(one)), None)
    return f"{place.is_(node) if node is not None else unparse(test)[:80]}: a condition needs one answer, and this has one for " \
        "each element.", \
        f"Write ({unparse(test)[:60]}).any() or .all() {place.at}; for None, write is None."


@explains(ValueError, r"(max|min)\(\)|zero-size array to reduction operation (\w+)|Cannot (?:take|choose).*empty|empty range|"
                       r"arg is an empty sequence|iterable argument is empty")
def _empty(place, told, error):
    node, _ = place.find(lambda value: hasattr(value, "__len__") and len(value) == 0)
    return (f"{unparse(node)}{place.made(node)} has no elements on this rank.",
            f"Leave empty parts out (if len({unparse(node)}):) before line {place.line}, or start fewer ranks than there are "
            "elements.") if node is not None else None


@explains(ZeroDivisionError)
def _division(place, told, error):
    node = place.node
    under = node.right if isinstance(node, ast.BinOp) else node.value if isinstance(node, ast.AugAssign) else None
    if under is None or isinstance(under, ast.Constant):
        return None
    made = place.maker(under)
    why = f"{unparse(under)} is 0 here{place.made(under)}."
    ranks = _notes._joined["size"] if _notes._joined else 0
    for one in ast.walk(made[1] if made else under):
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.FloorDiv):
            left, right = place.value(one.left), place.value(one.right)
            if isinstance(left, int) and isinstance(right, int) and 0 < left < right:
                return f"{why[:-1]}: {unparse(one)} is 0 for {left} and {right}.", (
                    f"Start the program with -n {left} or fewer, or give it more work." if right == ranks else
                    f"Write / in line {made[0].lineno if made else place.line}, if a fraction is meant, or give it {right} or "
                    "more.")
    if ranks == 1 or re.search(r"size|procs|rank|world", unparse(made[1] if made else under), re.I):
        return f"{why[:-1]} with {ranks} rank{'s' * (ranks != 1)}.", \
            f"Start the program with more ranks (-n {ranks + 1}), or leave the division out where {unparse(under)} is 0."
    return why, f"Give {unparse(under)} another value before line {place.line}, or divide only where it is not 0."


# ---- torch ----

@explains((RuntimeError, AssertionError, ValueError), r"not compiled with CUDA|No CUDA GPUs|no NVIDIA driver|CUDA-capable")
def _cuda(place, told, error):
    return "There is no GPU here.", \
        f"Write \"cpu\" for the device {place.at} (and gloo as the backend), or choose it by torch.cuda.is_available()."


@explains(RuntimeError, r"expected (?:scalar type|m1 and m2 to have the same dtype)|can't be cast to the desired output type|"
                        r"Expected all tensors to have the same dtype|must have the same dtype|Only Tensors of floating point|"
                        r"could not infer (?:output )?dtype|Input dtype must be")
def _dtype(place, told, error):
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
def _grad(place, told, error):
    if "does not require" in told[0]:
        return "What backward() is called of depends on no parameter with requires_grad.", \
            "Compute the loss from the model's output, outside of torch.no_grad() and without detach() or .item()."
    if "numpy" in told[0]:
        return "torch keeps the gradients' way through this tensor.", f"Write .detach().numpy() {place.at}."
    return "torch keeps the gradients' way through this parameter, so it cannot be changed in place.", \
        f"Change its .data (or inside of with torch.no_grad():) {place.at}."
