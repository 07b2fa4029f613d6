"""A program's text with its syntax tree, and the changes that turn it into a faulty one."""
import ast
import re

SENDS = ("send", "isend", "do_send")
RECEIVES = ("recv", "irecv", "do_recv")

KINDS = {}  # name -> (what is wrong, in one sentence; the generator of changes)


def kind(says):
    """Registers a generator: given a Source, it yields changes, each a list of (begin, end, text) in offsets."""
    def register(generator):
        KINDS[generator.__name__.replace("_", "-")] = (says, generator)
        return generator
    return register


def plus(text, more):
    """The text of a sum with 1 or -1 added, without two constants at its end."""
    last = re.search(r"^(.*) ([+-]) (\d+)$", text)
    if last:
        text, more = last[1], more + int(last[2] + last[3])
    return text + (f" {'-' if more < 0 else '+'} {abs(more)}" if more else "")


def name_of(call):
    """The name that a call calls, without its object; empty for other expressions."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


class Source:
    """A program in Python. A function whose first line ends in `# given`, and `__init__`, are left as they are."""

    def __init__(self, text):
        self.text = text
        self.tree = ast.parse(text)
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.functions = [node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)
                          and node.name != "__init__" and not self.line(node.lineno).rstrip().endswith("# given")]

    # ---- places ----

    def line(self, number):
        return self.text[self.starts[number - 1]:self.starts[number]]

    def begin(self, node):
        return self._offset(node.lineno, node.col_offset)

    def end(self, node):
        return self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line, column):
        return self.starts[line - 1] + len(self.line(line).encode()[:column].decode())

    def text_of(self, node):
        return self.text[self.begin(node):self.end(node)]

    def all(self, *types):
        """The nodes of these types in the functions that may be changed, in the text's order."""
        found = {node for function in self.functions for part in function.body for node in ast.walk(part)
                 if isinstance(node, types)}
        return sorted(found, key=lambda node: (node.lineno, node.col_offset, -node.end_col_offset))

    def calls(self, *names):
        return [call for call in self.all(ast.Call) if name_of(call) in names]

    def statement(self, node):
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function(self, node):
        while not isinstance(node, ast.FunctionDef):
            node = self.parents[node]
        return node

    def inside(self, node, *types):
        """The nearest node of these types around this one, or None."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, types):
                return node
        return None

    def blocks(self):
        """The lists of consecutive statements."""
        nodes = self.functions + self.all(ast.If, ast.For, ast.While)
        return [block for node in nodes for block in (node.body, getattr(node, "orelse", [])) if block]

    # ---- messages ----

    def peer(self, call):
        """The argument that names the other rank, or None."""
        for word in call.keywords:
            if word.arg in ("dst", "src"):
                return word.value
        at = 0 if name_of(call).startswith("do_") else 1
        return call.args[at] if len(call.args) > at else None

    def buffer(self, call):
        """The argument that is sent or received into, or None."""
        return call.args[0] if call.args and not name_of(call).startswith("do_") else None

    def peers(self):
        """Expressions that say which rank is meant: arguments, and what variables in their places are set to."""
        arguments = [peer for call in self.calls(*SENDS, *RECEIVES) if (peer := self.peer(call)) is not None]
        names = {node.id for node in arguments if isinstance(node, ast.Name)}
        return arguments + [value for name, value in self.assigned() if name in names]

    def assigned(self):
        """(name, value) of assignments, those of tuples one by one."""
        for node in self.all(ast.Assign):
            target, value = node.targets[0], node.value
            pairs = zip(target.elts, value.elts) if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) \
                else [(target, value)]
            for one, of in pairs:
                if isinstance(one, ast.Name):
                    yield one.id, of

    def arrived(self):
        """The texts of the buffers of receives."""
        return {self.text_of(data) for call in self.calls("recv", "irecv")
                if (data := self.buffer(call)) is not None} | {"self.buf"}

    def sums(self):
        """The statements that add what has arrived."""
        arrived = self.arrived()
        return [node for node in self.all(ast.AugAssign) if isinstance(node.op, ast.Add)
                and (self.text_of(node.value) in arrived or "do_recv(" in self.text_of(node.value)
                     or self.text_of(node.value) == "rank")]

    # ---- changes ----

    def put(self, node, text):
        return [(self.begin(node), self.end(node), text)]

    def remove(self, statement):
        """The change that removes this statement and its lines."""
        block = next(block for block in self.blocks() if statement in block)
        if len(block) == 1:
            return self.put(statement, "pass")
        return [(self.starts[statement.lineno - 1], self.starts[statement.end_lineno], "")]

    def swap(self, first, second):
        """The change that exchanges two nodes."""
        return self.put(first, self.text_of(second)) + self.put(second, self.text_of(first))

    def insert(self, before, lines):
        """The change that inserts lines before a statement, indented like it."""
        at = self.starts[before.lineno - 1]
        return [(at, at, "".join(" " * before.col_offset + line + "\n" for line in lines))]

    def changed(self, change):
        text = self.text
        for begin, end, new in sorted(change, reverse=True):
            text = text[:begin] + new + text[end:]
        return text
