"""Mistakes in messages: their peers, order, data, and waits."""
import ast

from .source import RECEIVES, SENDS, kind, name_of


def _signs(source, node):
    """The additions and subtractions in a rank's expression."""
    return [one for one in ast.walk(node) if isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Add, ast.Sub))
            and "rank" in source.text_of(one.left)]


@kind("The message is for the neighbour on the other side, or comes from there.")
def wrong_neighbour(source):
    for peer in source.peers():
        for node in _signs(source, peer):
            sign = "-" if isinstance(node.op, ast.Add) else "+"
            yield source.put(node, f"{source.text_of(node.left)} {sign} {source.text_of(node.right)}")


@kind("The rank that is meant is one further away than it should be.")
def wrong_distance(source):
    for peer in source.peers():
        for node in _signs(source, peer):
            right = node.right
            if isinstance(right, ast.Constant):
                yield source.put(right, str(right.value + 1))
            elif isinstance(right, ast.Name):
                yield source.put(right, f"2 * {right.id}")


@kind("Source and destination are swapped.")
def swapped_ends(source):
    for node in source.all(ast.Assign):
        names = node.targets[0]
        values = node.value
        if isinstance(names, ast.Tuple) and isinstance(values, ast.Tuple) and len(names.elts) == 2 \
                and all("rank" in source.text_of(value) for value in values.elts) \
                and "%" in source.text_of(values):
            yield source.put(names, ", ".join(source.text_of(one) for one in reversed(names.elts)))
    for send in source.calls("send", "isend"):
        for receive in source.calls("recv", "irecv"):
            to, back = source.peer(send), source.peer(receive)
            same = source.function(send) is source.function(receive)
            if same and source.text_of(to) != source.text_of(back):
                yield source.put(to, source.text_of(back))
                yield source.put(back, source.text_of(to))
    for test in source.all(ast.If):
        words = [name for name in ("source", "target") if f"== {name}" in source.text_of(test.test)]
        if words:
            yield source.put(test.test.comparators[0], "target" if words[0] == "source" else "source")


@kind("Pairs are made by the wrong mask.")
def wrong_mask(source):
    for node in source.all(ast.BinOp):
        if isinstance(node.op, ast.BitXor):
            left, right = source.text_of(node.left), source.text_of(node.right)
            yield source.put(node, f"{left} + {right}")
            yield source.put(node, f"{left} ^ ({right} - 1)")
            yield source.put(node, f"{left} ^ 1")
        if isinstance(node.op, ast.LShift):
            yield source.put(node.right, f"({source.text_of(node.right)} - 1)")


@kind("Nobody waits for the request.")
def wait_left_out(source):
    for call in source.calls("wait"):
        statement = source.statement(call)
        around = source.parents[statement]
        if isinstance(around, ast.For) and len(around.body) == 1:
            yield source.remove(around)
        else:
            yield source.remove(statement)


@kind("Sends and receives stand in the wrong order: ranks wait for each other.")
def wrong_order(source):
    for block in source.blocks():
        for first, second in zip(block, block[1:]):
            calls = [one.value for one in (first, second) if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
            names = [name_of(call) for call in calls]
            if len(names) == 2 and (names[0] in SENDS and names[1] in RECEIVES or names[0] in RECEIVES
                                    and names[1] in SENDS or names[0] in RECEIVES and names[1] == "wait"):
                yield source.swap(first, second)


@kind("A send that waits stands where one that goes on is needed.")
def blocking_send(source):
    for call in source.calls("isend"):
        outer = source.inside(call, ast.Call)
        if outer is not None and name_of(outer) == "append":
            yield source.put(outer, source.text_of(call).replace("isend", "send", 1))


@kind("Another rank is taken for the root.")
def wrong_root(source):
    for node in source.all(ast.Compare):
        right = node.comparators[0]
        text = source.text_of(right)
        if source.text_of(node.left) in ("rank", "self.rank", "peer") and text in ("0", "src") \
                and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            yield source.put(right, "0" if text == "src" else "1")
    for call in source.calls(*SENDS, *RECEIVES, "broadcast"):
        peer = source.peer(call)
        text = source.text_of(peer) if peer is not None else ""
        if text in ("0", "src"):
            yield source.put(peer, "0" if text == "src" else "1 % size")
    for name, value in source.assigned():
        if source.text_of(value) == "(rank - src) % size":
            yield source.put(value, "rank")


@kind("The tag of the send is not that of the receive.")
def wrong_tag(source):
    for call in source.calls("send", "isend", "recv", "irecv"):
        if any(word.arg in ("dst", "src") for word in call.keywords):
            end = source.end(call) - 1
            yield [(end, end, ", tag=1")]


@kind("The message is sent from, or received into, the wrong memory.")
def wrong_buffer(source):
    for one in source.calls("send", "isend", "recv", "irecv"):
        for other in source.calls("send", "isend", "recv", "irecv"):
            mine, theirs = source.buffer(one), source.buffer(other)
            same = source.function(one) is source.function(other)
            if same and name_of(one)[-4:] != name_of(other)[-4:] and source.text_of(mine) != source.text_of(theirs):
                yield source.put(mine, source.text_of(theirs))
    for node in source.all(ast.Attribute):
        if source.text_of(node) in ("self.msg", "self.buf") and source.function(node).name in ("do_send", "do_recv"):
            yield source.put(node, "self.buf" if node.attr == "msg" else "self.msg")


@kind("A send or a receive is missing.")
def missing_message(source):
    for call in source.calls(*SENDS, *RECEIVES):
        statement = source.statement(call)
        if isinstance(statement, ast.Expr):
            yield source.remove(statement)


@kind("One rank returns before the others are done.")
def early_return(source):
    for function in source.functions:
        first = function.body[0]
        if isinstance(first, ast.Assign) and source.text_of(first.targets[0]) == "rank, size":
            last = function.body[-1]
            result = " " + source.text_of(last.value) if isinstance(last, ast.Return) and last.value is not None \
                and "cat(" not in source.text_of(last) and "[" not in source.text_of(last) else ""
            named = result.strip() in ("", "tensor", "self.msg")
            yield source.insert(function.body[1], ["if rank == size - 1:", f"    return{result if named else ' tensor'}"])


@kind("Only some of the ranks come to the barrier.")
def barrier_on_some(source):
    for function in source.functions:
        first = function.body[0]
        if isinstance(first, ast.Assign) and source.text_of(first.targets[0]) == "rank, size":
            barrier = "col.barrier(self.group_name)" if "self." in source.text_of(first) else "dist.barrier()"
            yield source.insert(function.body[1], ["if rank == 0:", f"    {barrier}"])


@kind("What has not arrived yet is used.")
def too_early(source):
    for block in source.blocks():
        for first, second in zip(block, block[1:]):
            calls = [one for one in ast.walk(first) if isinstance(one, ast.Call)
                     and name_of(one) in (*RECEIVES, "exchange", "wait")]
            if calls and isinstance(second, (ast.AugAssign, ast.Expr)) and second in source.sums():
                yield source.swap(first, second)


@kind("The log says something else than what was done.")
def wrong_log(source):
    for node in source.all(ast.List):
        if len(node.elts) == 3 and isinstance(node.elts[0], ast.Constant):
            yield source.swap(node.elts[1], node.elts[2])
            yield source.put(node.elts[0], '"recv"' if node.elts[0].value == "send" else '"send"')
