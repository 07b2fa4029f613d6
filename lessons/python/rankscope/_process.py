"""The end of a process: whatever joined a run leaves it, with the error that ended the process.
"""
import atexit
import os
import re
import sys
import threading
import traceback
import types

from . import _advice, _tracebacks

_leavers = []   # called with (ok, error) at the end, the newest first
_failure = None
_watching = False


def register(leave):
    """Has `leave(ok, error)` called when this process ends, unless it is taken back."""
    global _watching
    _leavers.append(leave)
    if not _watching:
        _watching = True
        _watch_main_program()
    # A forked child of multiprocessing ends by os._exit, but runs multiprocessing's own finalizers.
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        from multiprocessing import util
        util.Finalize(None, leave_all, exitpriority=0)


def unregister(leave):
    if leave in _leavers:
        _leavers.remove(leave)


def is_watching():
    """Returns whether this process has joined a run, now or before."""
    return _watching


def leave_all():
    while _leavers:
        leave = _leavers.pop()
        try:
            leave(_failure is None, _failure)
        except Exception as problem:
            print("rankscope: could not leave the run: %s" % problem, file=sys.stderr)


def fail(error):
    """Notes the error that ends this process; the first one counts."""
    global _failure
    if _failure is None and _leavers:
        _failure = describe(error)
        _advice.note(error)


def forget_failure():
    global _failure
    _failure = None


def describe(error):
    """The error in one or a few lines, with the line of the user's program."""
    if isinstance(error, SystemExit) and error.__context__ is not None:
        error = error.__context__  # torch.multiprocessing.spawn prints the error itself and exits with 1
    from . import _places
    if isinstance(error, SyntaxError) and error.filename and error.lineno:  # Python's own text draws the line, too
        return "%s: %s (%s:%d)" % (type(error).__name__, error.msg, _places.shown_file(error.filename), error.lineno)
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    if type(error).__name__ == "ProcessRaisedException":  # torch.multiprocessing.spawn: with the process's traceback
        own = [one for one in re.findall(r'File "([^"]+)", line (\d+), in (\S+)', text) if not _places.is_foreign_file(one[0])]
        line = text.splitlines()[-1].strip()
        return "%s (%s:%s in %s)" % ((line, _places.shown_file(own[-1][0])) + own[-1][1:]) if own else line
    place = _places.of_traceback(error.__traceback__)
    return "%s (%s:%d in %s)" % ((text,) + place) if place else text


def _watch_main_program():
    atexit.register(leave_all)
    _advice.watch_exits()
    main_hook = _tracebacks.show if sys.excepthook is sys.__excepthook__ else sys.excepthook
    thread_hook = threading.excepthook

    def program_failed(kind, error, trace):
        fail(error)
        if _is_stop(error):
            _tracebacks.run_was_ended = True  # the run's report says so once for all ranks
        else:
            error.__traceback__ = _users_part(trace)
            main_hook(kind, error, error.__traceback__)
        leave_all()

    def thread_failed(arguments):
        if arguments.exc_value is not None and not isinstance(arguments.exc_value, SystemExit):
            fail(arguments.exc_value)
        thread_hook(arguments)

    sys.excepthook = program_failed
    threading.excepthook = thread_failed


def _is_stop(error):
    native = sys.modules.get("rankscope._native")
    return native is not None and isinstance(error, native.Stopped)


def _users_part(trace):
    """Returns the traceback without rankscope's frames: an error in them belongs to the line that called them."""
    inside = os.path.dirname(os.path.abspath(__file__)) + os.sep
    kept = []
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(inside):
            kept.append(trace)
        trace = trace.tb_next
    result = None
    for part in reversed(kept):
        result = types.TracebackType(result, part.tb_frame, part.tb_lasti, part.tb_lineno)
    return result


def process_failed(error):
    """Shows and notes what ends a process of multiprocessing, and leaves its runs; sitecustomize calls this."""
    if isinstance(error, Exception) and not _is_stop(error):
        _tracebacks.show(type(error), error, _users_part(error.__traceback__))
    if not isinstance(error, SystemExit) or error.code not in (None, 0):
        fail(error)
    leave_all()


def _forked():
    global _failure
    _leavers.clear()
    _failure = None


os.register_at_fork(after_in_child=_forked)
