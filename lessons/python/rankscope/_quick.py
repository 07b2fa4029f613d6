"""Messages in one call of the library, which looks at Python's objects itself (engine/capi/python/calls.h).

Most messages are plain: from the program's only thread, of bytes or of an array that was described before, to a rank
that exists. All others go the long way, by _comm and _native: each function here gives None then, and has done nothing.
"""
import ctypes
import os
import sysconfig
import threading

from . import _native, _places


def _never(*_):
    return None


class Quick:
    """The quick functions of a communicator. Results above 0 are unfinished requests, below 0 codes of errors."""
    __slots__ = ("send", "receive", "start_send", "start_receive", "wait", "learn", "close")

    def __init__(self, functions=(_never,) * 7):
        self.send, self.receive, self.start_send, self.start_receive, self.wait, self.learn, self.close = functions


NONE = Quick()
_calls = None  # the library's function; False when this Python lacks what it needs


def _library_calls():
    global _calls
    if _calls is None:
        _calls = False
        if not sysconfig.get_config_var("Py_GIL_DISABLED") and not os.environ.get("RANKSCOPE_AS"):
            found = getattr(ctypes.PyDLL(_native.library()._name), "rs_python_calls", None)
            if found is not None:
                found.restype, found.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object)
                _calls = found
    return _calls


def of(session, handle, lock, longest_wait):
    """The functions of this communicator; NONE where all messages go the long way."""
    calls = _library_calls()
    if not calls or not handle:
        return NONE
    try:
        threads = threading._active, threading._limbo
        return Quick(calls(handle, (lock, session, _places._describe, *threads, session.orphans, longest_wait)))
    except (AttributeError, ValueError):  # an unknown Python
        return NONE
