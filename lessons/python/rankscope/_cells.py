"""A notebook's code cells as Python: their text without magics, and their definitions alone.

A grader calls functions of a notebook without running its cells: these may start workers, train or read files. This module
imports nothing of rankscope, since the look at a program's text loads it by itself."""

import ast
import json

_kRun = ("time", "timeit", "capture", "prun", "memray_flamegraph")  # cell magics whose body is a cell's code


def utf8(data):
    """A text file's bytes as UTF-8, where it is UTF-16 with its mark; else as they are."""
    for mark, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[2:].decode(name, "replace").encode()
    return data


class NotebookError(Exception):
    """The file is not a notebook."""


def code_cells(path):
    """The sources of a notebook's code cells."""
    try:
        with open(path, "rb") as file:
            book = json.loads(utf8(file.read()).decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError) as error:
        raise NotebookError(f"{path} is no notebook: {error}. Save it as .ipynb in Jupyter.") from None
    cells = book.get("cells") if isinstance(book, dict) else None
    if cells is None and isinstance(book, dict) and "worksheets" in book:  # format 3
        cells = [cell for sheet in book["worksheets"] for cell in sheet.get("cells", ())]
    if not isinstance(cells, list):
        raise NotebookError(f"{path} is no notebook: it has no list of cells. Save it as .ipynb in Jupyter.")
    found = []
    for cell in cells:
        if cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            found.append(source if isinstance(source, str) else "".join(source))
    return found


# ---- lines that only Jupyter understands ----


def without_magics(source, name, note, shell=None):
    """Returns the cell as plain Python with the same line numbers; `note(line, text)` is called for each line left out;
    `shell(text, is_cell)` gives the statement for a command of the shell or for %run, or None."""
    first = source.lstrip().split("\n", 1)[0]
    if first.startswith("%%"):
        words = first[2:].split()
        if words and words[0] == "writefile":
            return _write_file(words[1:], source.lstrip(), note)
        body = source.lstrip().partition("\n")[2]
        ran = shell and words and words[0] in ("bash", "sh") and shell(body, True)
        if ran:
            return ran
        if not words or words[0] not in _kRun:
            note(1, f"the cell is left out: {first.strip()}")
            return ""
        note(1, f"left out: {first.strip()}")
        source = source.replace(first, "", 1)
    return _without_line_magics(source, name, note, shell)


def _write_file(words, source, note):
    append = "-a" in words or "--append" in words
    names = [word for word in words if not word.startswith("-")]
    body = source.split("\n", 1)[1] if "\n" in source else ""
    with open(names[0], "a" if append else "w", encoding="utf-8") as file:
        file.write(body if body.endswith("\n") else body + "\n")
    note(1, f"{'appended to' if append else 'wrote'} {names[0]}")
    return ""


def _without_line_magics(source, name, note, shell):
    """Removes magics only where Python fails to parse: `%` and `!` also begin lines of strings and expressions."""
    lines = source.split("\n")
    for _ in range(len(lines)):
        try:
            ast.parse("\n".join(lines), name)
            break
        except SyntaxError as error:
            at = _stumbled(lines, error.lineno or 1)
            if at is None:
                break
            command = lines[at].strip()
            indent = lines[at][:len(lines[at]) - len(lines[at].lstrip())]
            variable, sign, _ = lines[at].partition("=")
            assigned = sign and variable.strip().isidentifier()
            end = at
            while lines[end].rstrip().endswith("\\") and end + 1 < len(lines):
                end += 1
                command = command[:-1] + lines[end].strip()
                lines[end] = ""
            ran = shell and command.startswith(("!", "%run ")) and shell(command.lstrip("!"), False)
            if ran:
                lines[at] = indent + ran
                continue
            note(at + 1, f"left out: {command}")
            lines[at] = f"{indent}{variable.strip()} = None" if assigned else f"{indent}pass"
    return "\n".join(lines)


def _stumbled(lines, line):
    """The line of the magic, which Python may notice only at the next line."""
    for at in (line - 1, line - 2):
        if 0 <= at < len(lines) and _is_magic(lines[at]):
            return at
    return next((at for at in range(len(lines)) if _is_magic(lines[at])), None)


def _is_magic(line):
    text = line.strip()
    if text.startswith(("%", "!", "?")) or (text.endswith("?") and not text.startswith("#")):
        return True
    variable, sign, value = text.partition("=")
    return bool(sign) and variable.strip().isidentifier() and value.strip().startswith(("%", "!"))


# ---- definitions ----

# Calls that make a constant, a type or a device, by the name before the first dot; those of torch.distributed do not.
_kMaking = {"bool", "bytes", "dict", "float", "frozenset", "int", "len", "list", "math", "max", "min", "namedtuple", "np",
            "numpy", "range", "set", "str", "sum", "torch", "tuple", "collections", "functools", "typing", "TypeVar"}


class Cell:
    """The definitions of one cell: its name in messages, its text, their tree or why there is none, and names that it
    sets elsewhere."""

    def __init__(self, name, source):
        self.name, self.source = name, source
        self.tree, self.fault, self.left_out = None, "", set()


def definitions(path, function=""):
    """The definitions in all code cells of a notebook: imports, functions, classes and constants. With `function`, only those
    that it uses, itself or through others: another task's cells may import and call what this one may not."""
    cells = []
    for number, source in enumerate(code_cells(path), 1):
        cell = Cell(f"{path} [cell {number}]", source)
        cells.append(cell)
        first = source.lstrip().split("\n", 1)[0]
        writes = first.startswith("%%writefile")
        plain = source.replace(first, "", 1) if writes else without_magics(source, cell.name, lambda *_: None)
        try:
            cell.tree = ast.parse(plain, cell.name)
        except (SyntaxError, ValueError) as error:
            cell.fault = f"cell {number}, line {getattr(error, 'lineno', 0) or 0} is not Python: {error.args[0]}"
            continue
        kept = [node for node in cell.tree.body if _defines(node)]
        for node in cell.tree.body:
            if node not in kept:
                cell.left_out.update(one.id for one in ast.walk(node)
                                     if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
        cell.tree.body = kept
    if function:
        _keep_used(cells, function)
    return cells


def _keep_used(cells, function):
    nodes = [node for cell in cells if cell.tree for node in cell.tree.body]
    by_name = {}
    for node in nodes:
        for name in _bound(node):
            by_name.setdefault(name, []).append(node)
    waiting = by_name.get(function, [])
    methods = [node for node in nodes if isinstance(node, ast.ClassDef) and any(
        isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name == function for one in node.body)]
    if methods:  # exercises' classes are all called so, and may inherit the method or be another name of its class
        waiting = [*waiting, *by_name.get("Worker", [] if waiting else methods)]
    if not waiting:
        return
    used, waiting = set(), [*waiting, *by_name.get("*", [])]
    while waiting:
        node = waiting.pop()
        used.add(id(node))
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        waiting += [one for name in names for one in by_name.get(name, ()) if id(one) not in used]
    for cell in cells:
        if cell.tree:
            cell.tree.body = [node for node in cell.tree.body if id(node) in used]


def _bound(node):
    """The names that a definition binds; "*" for those of a whole module."""
    if isinstance(node, ast.Try):
        return {name for one in ast.walk(node) if isinstance(one, (ast.Import, ast.ImportFrom)) for name in _bound(one)}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        if getattr(node, "module", "") == "__future__":
            return {"*"}
        return {one.asname or one.name.split(".")[0] for one in node.names}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _defines(node):
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return True
    if isinstance(node, ast.Try):
        return all(isinstance(one, (ast.Import, ast.ImportFrom)) for one in node.body)
    if isinstance(node, ast.Assign):
        return all(isinstance(one, ast.Name) for one in node.targets) and _makes(node.value)
    return isinstance(node, ast.AnnAssign) and node.value is not None and _makes(node.value)


def _makes(value):
    """Returns whether an expression only makes a value, without work or messages."""
    if isinstance(value, ast.Lambda):
        return True
    for node in ast.walk(value):
        if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom)):
            return False
        if isinstance(node, ast.Call):
            parts, at = [], node.func
            while isinstance(at, ast.Attribute):
                parts.append(at.attr)
                at = at.value
            if not isinstance(at, ast.Name) or at.id not in _kMaking or "distributed" in parts:
                return False
    return True
