"""Writes a process's notes for the report of its run, as lines of JSON, into the folder RANKSCOPE_NOTES."""
import json
import os
import warnings

kMostBytes = 32 << 20
_warned = {}  # of the module warnings: each text once for each line

_folder = os.environ.get("RANKSCOPE_NOTES")
_file = None
_process = None
_written = 0
driver = False   # whether this process gives Ray's actors their work, and is no rank
_joined = None   # the rank, size and key of the last run that this process joined
on_leave = None  # called before a rank leaves its run


def rank():
    """The rank of this process, in the run that it has joined or was started for; None when it is no rank."""
    if _joined is not None:
        return _joined["rank"]
    given = os.environ.get("RANKSCOPE_COPY")
    return int(given) if given else None


def size():
    """The number of ranks of the run that this process has joined; 0 when it is in none."""
    return _joined["size"] if _joined is not None else 0


def joined(rank_joined, size, key):
    global _joined
    _joined = {"rank": rank_joined, "size": size, "key": key or ""}


def left():
    if on_leave is not None:
        on_leave()


def write(record):
    global _file, _process, _written
    if not _folder:
        return
    if _process != os.getpid():
        _process, _written = os.getpid(), 0
        _file = os.path.join(_folder, "%d.jsonl" % _process)
    text = json.dumps(dict(record, **(_joined or {"rank": -1, "size": 0, "key": ""}))) + "\n"
    _written += len(text)
    if _written > kMostBytes:
        return
    try:
        with open(_file, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        pass  # the run is over, and its folder gone


def remark(place, what, why, advice, harmless=False, state=""):
    """Notes that the platform carries out the call at a place (file, line) otherwise than is meant, for the report of the
    run. With a state, it is so only where the ranks' states differ; a harmless one may be meant so. Returns False where nobody
    collects notes."""
    if not _folder or rank() is None and not driver:
        return False
    from . import _places
    write({"kind": "remark", "file": _places.shown_file(place[0]), "line": place[1], "what": what, "why": why,
           "advice": advice, "harmless": harmless, "state": state})
    return True


def remark_at(frame, line, what, why, advice, harmless=False):
    """Notes a remark at a line of a frame's file."""
    return remark((frame.f_code.co_filename, line), what, why, advice, harmless)


def warn(what, advice, why=None, harmless=False, state="", place=None):
    """Warns at the program's line. With `why`, the run's report gives it as a remark instead, where somebody collects notes."""
    from . import _places
    place = place or _places.innermost() or ("", 0)
    if why is None or not remark(place, what, why, advice, harmless, state):
        warnings.warn_explicit(f"{what}. {advice}", UserWarning, *place[:2], registry=_warned)


def _forked():
    global _joined, _folder, driver
    _joined, _folder, driver = None, os.environ.get("RANKSCOPE_NOTES"), False


os.register_at_fork(after_in_child=_forked)
