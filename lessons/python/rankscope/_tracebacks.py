"""Tracebacks for the author of a program: without the lines of rankscope itself, which say nothing to them.

Several ranks share one screen: each line has its rank before it, a traceback is written at once, and what other ranks
fail of, too, is written once."""

import hashlib
import os
import re
import sys
import traceback

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OWN = tuple({folder + os.sep for folder in (_FOLDER, os.path.realpath(_FOLDER))})


program_failed = False  # an error has ended this process's program
run_was_ended = False  # the error is that its run, or its actors' run (Ray's driver), was ended


def formatted(error):
    """The traceback as Python prints it, with its causes, without our own lines."""
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


def show(kind, error, trace):
    """Replaces sys.excepthook."""
    global program_failed, run_was_ended
    program_failed = True
    run_was_ended = any(one.__name__ == "Stopped" and one.__module__.startswith("rankscope") for one in kind.__mro__)
    if error is None or not issubclass(kind, Exception):
        sys.__excepthook__(kind, error, trace)
        return
    error.__traceback__ = trace
    text, rank = formatted(error), _rank()
    if rank is not None:
        if not _is_first(text):
            text = text.rstrip("\n").rpartition("\n")[2] + " (the traceback is the same as that of another rank)\n"
        text = "".join("[rank %s] %s" % (rank, line) for line in text.splitlines(True))
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass
    if sys.stderr is not sys.__stderr__:
        sys.stderr.write(text)
        return
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(2, data):]
    except OSError:
        pass  # the reader is gone


def _rank():
    """The rank of this process among several; None where it is alone, or no rank."""
    if not os.environ.get("RANKSCOPE_EXEC"):
        return None
    session = sys.modules.get("rankscope._session")
    for joined in session.sessions if session is not None else ():
        return joined.world.rank
    return os.environ.get("RANK") if int(os.environ.get("RANKSCOPE_COPIES") or 1) > 1 else None


def _is_first(text):
    """Returns whether no other rank of this run has written the same text, numbers aside."""
    folder = os.path.dirname(os.environ.get("RANKSCOPE_EXEC") or "")
    if not folder:
        return True
    name = "error-" + hashlib.sha256(re.sub(r"\d+", "", text.rpartition("\n  File")[2]).encode()).hexdigest()[:16]
    try:
        os.close(os.open(os.path.join(folder, name), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    except OSError:
        pass
    return True
