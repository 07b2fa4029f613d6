"""Tracebacks for the author of a program: without the lines of rankscope itself, which say nothing to them."""

import os
import traceback

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OWN = tuple({folder + os.sep for folder in (_FOLDER, os.path.realpath(_FOLDER))})


def formatted(error):
    """As Python prints it, and what it was raised from."""
    report = traceback.TracebackException(type(error), error, error.__traceback__)
    seen, rest = set(), [report]
    while rest:
        part = rest.pop()
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        frames = [frame for frame in part.stack if not os.path.abspath(frame.filename).startswith(_OWN)]
        part.stack = traceback.StackSummary.from_list(frames)
        rest += [part.__cause__, part.__context__]
    return "".join(report.format())
