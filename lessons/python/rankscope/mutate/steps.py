"""Mistakes in the steps between messages: chunks, repetitions, and the use of received data."""
import ast

from .source import RECEIVES, SENDS, kind, name_of, plus


def _index_names(source):
    """The names used as an index."""
    return {name.id for node in source.all(ast.Subscript) for name in ast.walk(node.slice) if isinstance(name, ast.Name)}


def _indices(source):
    """The expressions that choose a chunk."""
    names = _index_names(source) - {"rank", "size", "step", "length"}
    found = [node.slice for node in source.all(ast.Subscript) if not isinstance(node.slice, (ast.Slice, ast.Constant))]
    return found + [value for name, value in source.assigned() if name in names and not isinstance(value, ast.Call)]


@kind("The chunk is one further, or one before, the right one.")
def chunk_index(source):
    for index in _indices(source):
        if isinstance(index, ast.BinOp) and isinstance(index.op, ast.Mod):
            for more in (1, -1):
                yield source.put(index.left, plus(source.text_of(index.left), more))


@kind("A place in a list is another rank's.")
def wrong_slot(source):
    for index in _indices(source):
        if isinstance(index, ast.Name) and index.id == "rank":
            yield source.put(index, "0")
        elif isinstance(index, ast.Name) and index.id in ("peer", "back", "to"):
            yield source.put(index, {"peer": "peer - 1", "back": "to", "to": "back"}[index.id])


@kind("A loop ends one step too early, or too late, or begins so.")
def loop_bound(source):
    for call in source.calls("range"):
        end = call.args[-1]
        for more in (-1, 1):
            yield source.put(end, plus(source.text_of(end), more))
        if len(call.args) == 2:
            yield source.put(call.args[0], "2")
            yield source.put(call.args[0], "0")


_BOUNDS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}


@kind("A limit is taken to be in, or out, where it is the reverse.")
def boundary(source):
    for node in source.all(ast.Compare):
        if len(node.ops) == 1 and type(node.ops[0]) in _BOUNDS:
            sign = _BOUNDS[type(node.ops[0])]
            yield source.put(node, f"{source.text_of(node.left)} {sign} {source.text_of(node.comparators[0])}")


@kind("What arrives is not added.")
def missing_add(source):
    for node in source.sums():
        if "do_recv(" in source.text_of(node.value):
            yield source.put(node, source.text_of(node.value))
        else:
            yield source.remove(node)


@kind("What arrives replaces the sum, where it should be added.")
def overwritten_sum(source):
    for node in source.sums():
        if source.text_of(node.value) != "rank":
            yield source.put(node, f"{source.text_of(node.target)}.copy_({source.text_of(node.value)})")


@kind("What arrives is added where it should replace what is there.")
def added_result(source):
    for call in source.calls("copy_"):
        value = source.text_of(call.args[0])
        if value in source.arrived() or "do_recv(" in value:
            yield source.put(call, f"{source.text_of(call.func.value)} += {value}")


@kind("What arrives counts twice.")
def added_twice(source):
    for node in source.sums():
        yield source.put(node.value, f"2 * {source.text_of(node.value)}")


@kind("What arrives is taken off, where it should be added.")
def subtracted(source):
    for node in source.sums():
        yield source.put(node, f"{source.text_of(node.target)} -= {source.text_of(node.value)}")


@kind("A copy is missing: two names mean the same memory, or the result stays where nobody looks.")
def lost_copy(source):
    for call in source.calls("clone", "contiguous"):
        yield source.put(call, source.text_of(call.func.value))
    for call in source.calls("copy_"):
        yield source.remove(source.statement(call))
    for node in source.all(ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice) and target.slice.lower is None:
            yield source.put(target, source.text_of(target.value))


@kind("A slice is one element too short, or begins one too late.")
def wrong_slice(source):
    for node in source.all(ast.Slice):
        for edge, more in ((node.upper, -1), (node.lower, 1)):
            if edge is not None:
                yield source.put(edge, plus(source.text_of(edge), more))


@kind("A rank or chunk is not taken modulo the number of ranks.")
def modulo_missing(source):
    for node in source.all(ast.BinOp):
        if isinstance(node.op, ast.Mod) and source.text_of(node.right) == "size":
            left = source.text_of(node.left)
            begin = source.begin(node)
            whole = source.text_of(node)
            yield [(begin, begin + len(whole), left)]


@kind("A number is computed by the wrong operator.")
def wrong_operator(source):
    for node in source.all(ast.AugAssign):
        target, value = source.text_of(node.target), source.text_of(node.value)
        if isinstance(node.op, ast.Mult):
            yield source.put(node, f"{target} += {value}")
        if isinstance(node.op, ast.FloorDiv):
            yield source.put(node, f"{target} -= {value}")
    for node in source.all(ast.BinOp):
        left, right = source.text_of(node.left), source.text_of(node.right)
        if isinstance(node.op, ast.Mult) and not isinstance(node.left, ast.List):
            yield source.put(node, f"{left} + {right}")
        if isinstance(node.op, ast.Sub) and "rank" not in left:
            yield source.put(node, f"{left} + {right}")


@kind("The numbers go through another type.")
def wrong_dtype(source):
    for node in source.all(ast.keyword):
        if node.arg == "dtype":
            yield source.put(node.value, "torch.float32" if "float32" not in source.text_of(node.value) else "torch.int64")
            if source.text_of(node.value) == "torch.int64":
                yield source.put(node.value, "torch.int32")
    for call in source.calls("empty_like", "zeros_like"):
        yield source.put(call, f"torch.zeros({source.text_of(call.args[0])}.shape)")


@kind("A sum is not divided by the number of ranks, or something is not divided among them.")
def division_missing(source):
    for node in source.all(ast.AugAssign):
        if isinstance(node.op, ast.Div):
            yield source.remove(node)
            yield source.put(node.value, f"({source.text_of(node.value)} + 1)")
    for node in source.all(ast.BinOp):
        if isinstance(node.op, ast.FloorDiv) and source.text_of(node.right) == "size":
            yield source.put(node, source.text_of(node.left))


@kind("The dimension is the wrong one.")
def wrong_dimension(source):
    for node in source.all(ast.Name):
        if node.id in ("scatter_dim", "gather_dim"):
            yield source.put(node, "gather_dim" if node.id == "scatter_dim" else "scatter_dim")
    for node in source.all(ast.Subscript):
        if source.text_of(node).endswith("shape[0]"):
            yield source.put(node.slice, "-1")


@kind("The condition is not the right one: it lets others through, or stops some.")
def wrong_condition(source):
    for node in source.all(ast.BoolOp):
        for part in node.values:
            yield source.put(node, source.text_of(part))
    for node in source.all(ast.Compare):
        left, right = source.text_of(node.left), source.text_of(node.comparators[0])
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.NotEq):
            yield source.put(node, f"{left} < {right}")
            yield source.put(node, f"{left} != 0")
        if len(node.ops) > 1:
            yield source.put(node, source.text_of(node).split(" <= ", 1)[-1])


@kind("What is returned is not the result.")
def wrong_result(source):
    for node in source.all(ast.Return):
        if node.value is None or isinstance(node.value, ast.Constant):
            continue
        function = source.function(node)
        names = [arg.arg for arg in function.args.args if arg.arg == "tensor"]
        text = source.text_of(node.value)
        if names and text != "tensor":
            yield source.put(node.value, "tensor")
        if text == "self.msg":
            yield source.put(node.value, "self.buf")
        if text == "self.buf":
            yield source.put(node.value, "self.msg")
        if "cat(" not in text and "do_" not in text:
            yield source.remove(node)


@kind("A loop begins with the wrong distance.")
def wrong_start(source):
    for name, value in source.assigned():
        statement = source.statement(value)
        if isinstance(value, ast.Constant) and value.value == 1 and name != "size":
            yield source.put(value, "2")
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and name == "begin":
            yield source.put(statement.value, source.text_of(value.left))


@kind("Something that has to be done is missing.")
def lost_call(source):
    left_alone = {*SENDS, *RECEIVES, "wait", "copy_", "append", "exchange"}
    for node in source.all(ast.Expr):
        if isinstance(node.value, ast.Call) and name_of(node.value) not in left_alone:
            yield source.remove(node)
    for call in source.calls("exchange"):
        yield source.remove(source.statement(call))
    for call in source.calls("append"):
        if "log" in source.text_of(call.func):
            yield source.remove(source.statement(call))
