"""Faulty programs for drills, made of right ones by small changes of their text.

`python3 -m rankscope.mutate FILE...` prints JSON, a list for each file: {"kind", "says", "line", "before", "after",
"text"} of each mutant. `line` is where the mutant differs first, counted from 1; where lines are missing, where they
stood. `before` and `after` are the lines that were changed. Nothing is run: whether a change is a fault is found out by
running the program (lessons/coding/drills.h)."""
import difflib

from . import messages, steps  # noqa: F401: they register their kinds
from .source import KINDS, Source


def difference(before, after):
    """(line, lines before, lines after) of two texts."""
    old, new = before.splitlines(), after.splitlines()
    parts = [part for part in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if part[0] != "equal"]
    first, last = parts[0], parts[-1]
    return first[3] + 1, old[first[1]:last[2]], new[first[3]:last[4]]


def mutants(text):
    """All mutants of a program's text that can be compiled, each text once: the first kind that makes it has it."""
    source = Source(text)
    out, seen = [], {text}
    for name, (says, generator) in KINDS.items():
        for change in generator(source):
            changed = source.changed(change)
            if changed in seen:
                continue
            seen.add(changed)
            try:
                compile(changed, "drill", "exec")
            except SyntaxError:
                continue
            line, before, after = difference(text, changed)
            out.append({"kind": name, "says": says, "line": line, "before": "\n".join(before),
                        "after": "\n".join(after), "text": changed})
    return out
