"""Notes the numbers of bytes that a program prints, to compare them with the counted ones."""
import builtins
import functools
import sys

kMost = 20

_noted = [0]
_COUNTS = ("numel", "len", "size", "shape", "nelement")
_IN_BYTES = ("element_size", "itemsize", "nbytes", "getsizeof", "dtype", "8", "4")


def _counting_lines(file, line):
    """Lines that count elements into a variable which the call of print at a line names."""
    import ast
    from rankscope import _syntax
    tree = _syntax.tree_of(file)
    nodes = list(ast.walk(tree)) if tree is not None else []
    names = {name for node in nodes if getattr(getattr(node, "func", None), "id", "") == "print" and
             node.lineno <= line <= node.end_lineno for name in _syntax.names_in(node)}
    found = []
    for node in nodes:
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if not names & {name for target in targets for name in _syntax.names_in(target)}:
            continue
        words = {getattr(inner, "id", None) or getattr(inner, "attr", None) or str(getattr(inner, "value", ""))
                 for inner in ast.walk(node.value)}
        if words & set(_COUNTS) and not words & set(_IN_BYTES):
            found.append(node.lineno)
    return sorted(found)


def _note(text, frame):
    from rankscope import _notes, _places
    file = frame.f_code.co_filename
    _notes.write({"kind": "printed bytes", "text": text[:400],
                  "file": _places.shown_file(file), "line": frame.f_lineno,
                  "counted": _counting_lines(file, frame.f_lineno)})


def install():
    real = builtins.print

    @functools.wraps(real)
    def print(*values, **options):
        real(*values, **options)
        if _noted[0] < kMost and any(type(one) is str and ("byte" in one or "Byte" in one) for one in values):
            _noted[0] += 1
            try:
                text = (options.get("sep") or " ").join(map(str, values))
                if any(letter.isdigit() for letter in text):
                    _note(text, sys._getframe(1))
            except Exception:  # no output may stop the program
                pass
    builtins.print = print
