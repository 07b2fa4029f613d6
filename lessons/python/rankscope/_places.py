"""Finds the line of the user's program from which a call comes.

A place is looked up for every message, so what is known of a code object is kept, and so is the finished stack of
each chain of calls.
"""
import atexit
import os
import sys
import sysconfig

from . import _native

_OWN = os.path.dirname(os.path.abspath(__file__))
_SITE = os.path.join(os.path.dirname(_OWN), "site")
_WORKER = os.path.join(_SITE, "ray", "_worker.py")
_MOST = 4096

observer = None       # called before each message and collective, under `rankscope exec --as`
_start_folder = None  # the folder in which the program was started
_codes = {}           # id of a code object -> (the object, file, function), or (the object, None, None): skipped
_stacks = {}          # ((id of code, offset), ...) -> Stack


def _forget():
    """At the end of the process: torch's compiler forgets code objects while it can still clean up."""
    _codes.clear()
    _stacks.clear()


atexit.register(_forget)


def _foreign_folders():
    paths = sysconfig.get_paths()
    folders = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib") if key in paths}
    folders.update((_OWN, _SITE))
    folders.update(os.path.realpath(folder) for folder in list(folders))
    return tuple(folder + os.sep for folder in folders)


_FOREIGN = _foreign_folders()


def _is_foreign(code):
    """Returns whether code is Python's, an installed package's, rankscope's, or starts a process of multiprocessing."""
    file = code.co_filename
    if file.startswith("<frozen ") or file == "<__array_function__ internals>":
        return True
    if file == "<string>":
        return "spawn_main" in code.co_names or "forkserver" in code.co_names
    return is_foreign_file(file)


def is_foreign_file(file):
    path = os.path.abspath(file)
    return path.startswith(_FOREIGN) or "/site-packages/" in path or "/dist-packages/" in path


def shown_file(file):
    """The file, relative to the folder in which the program was started if it is in it."""
    global _start_folder
    if _start_folder is None:
        _start_folder = os.environ.get("RANKSCOPE_START_FOLDER") or os.getcwd()
    if file.startswith("<"):
        return file
    path = os.path.abspath(file)
    inside = path.startswith(_start_folder.rstrip(os.sep) + os.sep)
    return os.path.relpath(path, _start_folder) if inside else path


def _describe(code):
    if len(_codes) >= _MOST:
        _codes.clear()
        _stacks.clear()
    if _is_foreign(code):
        entry = (code, None, None)
    else:
        entry = (code, shown_file(code.co_filename).encode("utf-8", "replace"),
                 code.co_name.encode("utf-8", "replace"))
    _codes[id(code)] = entry
    return entry


def is_foreign(code):
    """Returns whether code is no line of the program's own."""
    return (_codes.get(id(code)) or _describe(code))[1] is None


def user_frames():
    """Frames of the user's own code, the innermost first."""
    frames = []
    frame = sys._getframe(1)
    while frame is not None and len(frames) < _native.STACK:
        if not is_foreign(frame.f_code):
            frames.append(frame)
        frame = frame.f_back
    return frames


def here():
    """The stack of the call that is under way."""
    if observer is not None:
        observer()
    frames = []
    key = []
    codes = _codes
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        entry = codes.get(id(code)) or _describe(code)
        if entry[1] is not None:
            frames.append(frame)
            key.append(id(code))
            key.append(frame.f_lasti)
            if len(frames) == _native.STACK:
                break
        frame = frame.f_back
    key = tuple(key)
    stack = _stacks.get(key)
    if stack is None:
        stack = _stacks[key] = _make_stack(frames)
    return stack


def _make_stack(frames):
    if len(_stacks) >= _MOST:
        _stacks.clear()
    stack = _native.Stack()
    stack.depth = len(frames)
    for place, frame in zip(stack.place, frames):
        _, place.file, place.function = _codes.get(id(frame.f_code)) or _describe(frame.f_code)
        place.line = frame.f_lineno or 0
    return stack


def of_thread(thread):
    """The stack of what another thread of this process is at; None where that is no line of the user's own. What a
    worker of Ray was forked from is no part of what it does."""
    frames = []
    frame = sys._current_frames().get(thread)
    while frame is not None:
        code = frame.f_code
        if code.co_filename == _WORKER:
            if code.co_name == "_carry_out":
                break
            if code.co_name == "run":
                return None  # between two calls
        elif not is_foreign(code) and len(frames) < _native.STACK:
            frames.append(frame)
        frame = frame.f_back
    return _make_stack(frames) if frames else None


def innermost():
    """(file, line, function) of the user's line that is under way, or None: for another process."""
    for frame in user_frames()[:1]:
        _, file, function = _codes.get(id(frame.f_code)) or _describe(frame.f_code)
        return file.decode("utf-8", "replace"), frame.f_lineno or 0, function.decode("utf-8", "replace")
    return None


def as_stack(place):
    """The result of innermost() as a stack of one line."""
    stack = _native.Stack()
    if place is not None:
        file, line, function = place
        stack.depth = 1
        stack.place[0] = _native.Place(file.encode("utf-8", "replace"), function.encode("utf-8", "replace"), line)
    return stack


def frame_of_traceback(traceback):
    """(frame, line) of the innermost line of the user's own code; (None, 0) without one."""
    found = None, 0
    while traceback is not None:
        if not is_foreign(traceback.tb_frame.f_code):
            found = traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def of_traceback(traceback):
    """(file, line, function) of the innermost line of the user's own code, or None."""
    frame, line = frame_of_traceback(traceback)
    if frame is None:
        return None
    _, file, function = _codes.get(id(frame.f_code)) or _describe(frame.f_code)
    return file.decode(), line, function.decode()


def is_own_error(error):
    """Returns whether an error was raised in rankscope's own lines, in words of their own."""
    traceback, last = error.__traceback__, None
    while traceback is not None:
        traceback, last = traceback.tb_next, traceback.tb_frame.f_code.co_filename
    return last is not None and os.path.abspath(last).startswith((_OWN + os.sep, _SITE + os.sep))
