"""librankscope through ctypes: its structures, its functions, and its errors as exceptions.

The names are those of rankscope.h. A call by ctypes.CDLL releases the GIL while it lasts, so other threads of the
program run while one of them waits for a message.
"""
import ctypes
import operator
import os

VERSION = 1

PENDING, USAGE, COMM, STOPPED, NO_RUN = 1, -1, -2, -3, -4
TRUNCATED = 1  # a reason
UINT8, INT32, INT64, FLOAT32, FLOAT64 = range(5)
SUM, PRODUCT, MIN, MAX, AVG, BAND, BOR, BXOR = range(8)
ANY = -1
BLOCKING, RENDEZVOUS, MESSAGE = 1, 2, 4
SELF_SEND, NOT_CONTIGUOUS, GROUP_MADE = 3, 4, 5
AWAKE, UNCALLED, WAITING = range(3)
STACK, DIMS = 4, 8

OPERATORS = {"sum": SUM, "product": PRODUCT, "prod": PRODUCT, "min": MIN, "max": MAX, "avg": AVG,
             "band": BAND, "bor": BOR, "bxor": BXOR}
ITEM_SIZES = (1, 4, 8, 4, 8)


class Error(RuntimeError):
    """A failure of rankscope; the text says what to do next."""


class UsageError(Error, ValueError):
    """A call that cannot be carried out: a rank that does not exist, a buffer of the wrong kind ..."""


class CommunicationError(Error):
    """A message that does not fit, a peer that is gone ..."""
    truncated = False  # True for a message longer than the memory of its receive


class Stopped(Error):
    """The run was ended: a deadlock, a time limit, the failure of another rank, Ctrl-C."""


class NoRun(Error):
    """This process was not started by `rankscope exec`."""


for _public in (Error, UsageError, CommunicationError, Stopped, NoRun):
    _public.__module__ = "rankscope"  # the name that users import and read

_EXCEPTIONS = {USAGE: UsageError, COMM: CommunicationError, STOPPED: Stopped, NO_RUN: NoRun}


class Place(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("function", ctypes.c_char_p), ("line", ctypes.c_uint32)]


class Stack(ctypes.Structure):
    _fields_ = [("depth", ctypes.c_uint32), ("place", Place * STACK)]


class Memory(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("count", ctypes.c_uint64), ("dtype", ctypes.c_int32),
                ("dims", ctypes.c_uint32), ("array", ctypes.c_void_p), ("shape", ctypes.c_int64 * DIMS),
                ("name", ctypes.c_char_p)]


class Status(ctypes.Structure):
    """The `source`, `tag` and `bytes` of a received message."""
    _fields_ = [("source", ctypes.c_int32), ("tag", ctypes.c_int32), ("bytes", ctypes.c_uint64),
                ("message", ctypes.c_void_p)]

    def __repr__(self):
        return "Status(source=%d, tag=%d, bytes=%d)" % (self.source, self.tag, self.bytes)


class JoinOptions(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int32), ("size", ctypes.c_int32), ("key", ctypes.c_char_p),
                ("platform", ctypes.c_char_p), ("program", ctypes.c_char_p)]


class Call(ctypes.Structure):
    _fields_ = [("collective", ctypes.c_char_p), ("algorithm", ctypes.c_char_p), ("input", Memory),
                ("output", Memory), ("op", ctypes.c_int32), ("root", ctypes.c_int32)]


_HANDLE = ctypes.c_void_p
_OUT = ctypes.POINTER(ctypes.c_void_p)
_INT = ctypes.c_int
_INT_OUT = ctypes.POINTER(ctypes.c_int)
_MEMORY = ctypes.POINTER(Memory)
_WHERE = ctypes.POINTER(Stack)
_STATUS = ctypes.POINTER(Status)
Ask = ctypes.CFUNCTYPE(None, _WHERE)

# name: (result, arguments)
_FUNCTIONS = {
    "rs_version": (_INT, ()),
    "rs_error": (ctypes.c_char_p, ()),
    "rs_error_reason": (_INT, ()),
    "rs_join": (_INT, (ctypes.POINTER(JoinOptions), _OUT)),
    "rs_leave": (_INT, (_HANDLE, _INT, ctypes.c_char_p)),
    "rs_threads": (None, (_HANDLE, _INT)),
    "rs_ended": (None, (_HANDLE, ctypes.c_char_p, _WHERE)),
    "rs_idle": (None, (_HANDLE, _INT, _WHERE)),
    "rs_watch_work": (None, (_HANDLE, Ask)),
    "rs_full_trace": (_INT, (_HANDLE,)),
    "rs_world": (_HANDLE, (_HANDLE,)),
    "rs_rank": (_INT, (_HANDLE,)),
    "rs_size": (_INT, (_HANDLE,)),
    "rs_world_rank": (_INT, (_HANDLE, _INT)),
    "rs_isend": (_INT, (_HANDLE, _INT, _MEMORY, _INT, ctypes.c_uint, _WHERE, _OUT)),
    "rs_irecv": (_INT, (_HANDLE, _INT, _MEMORY, _INT, ctypes.c_uint, _WHERE, _OUT)),
    "rs_wait": (_INT, (_OUT, _INT, _STATUS, _WHERE)),
    "rs_wait_any": (_INT, (_OUT, _INT, _INT, _INT_OUT, _STATUS, _WHERE)),
    "rs_test": (_INT, (_HANDLE, _INT_OUT)),
    "rs_drop": (None, (_OUT,)),
    "rs_when_done": (_INT, (_HANDLE, ctypes.c_void_p, ctypes.c_void_p)),
    "rs_probe": (_INT, (_HANDLE, _INT, _INT, _INT_OUT, _STATUS)),
    "rs_free": (None, (_HANDLE,)),
    "rs_collective": (_INT, (_HANDLE, ctypes.POINTER(Call), _WHERE, _OUT)),
    "rs_split": (_INT, (_HANDLE, _INT, _INT, ctypes.c_char_p, _WHERE, _OUT)),
    "rs_group": (_INT, (_HANDLE, ctypes.POINTER(ctypes.c_int32), _INT, ctypes.c_char_p, ctypes.c_char_p, _WHERE, _OUT)),
    "rs_free_comm": (None, (_HANDLE,)),
    "rs_phase_begin": (_INT, (_HANDLE, ctypes.c_char_p, _WHERE)),
    "rs_phase_end": (_INT, (_HANDLE,)),
    "rs_watch": (_INT, (_HANDLE, _MEMORY, _WHERE)),
    "rs_note": (_INT, (_HANDLE, _INT, _INT, _WHERE)),
    "rs_combine": (_INT, (_MEMORY, _MEMORY, _INT)),
    "rs_now": (ctypes.c_int64, ()),
    "rs_time": (ctypes.c_int64, (_HANDLE,)),
    "rs_next_task": (_INT, (_HANDLE, _OUT)),
    "rs_task_input": (_INT, (_HANDLE, _INT, _MEMORY)),
    "rs_task_result": (_INT, (_HANDLE, _MEMORY, ctypes.c_char_p)),
}

_library = None


def _candidates():
    named = os.environ.get("RANKSCOPE_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [here, os.path.dirname(here), os.path.join(here, "..", "lib"), os.path.join(here, "..", "..", "lib")]
    return [os.path.normpath(os.path.join(folder, "librankscope.so")) for folder in folders]


def library():
    """The library with its functions' types set; loaded when it is first asked for."""
    global _library
    if _library is None:
        found = [path for path in _candidates() if os.path.exists(path)]
        if not found:
            raise NoRun("librankscope.so was not found (looked for: %s). Start the program with "
                        "`rankscope exec -- python3 ...`, or set RANKSCOPE_LIBRARY to the library's path."
                        % ", ".join(_candidates()))
        loaded = ctypes.CDLL(found[0])
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype = result
            function.argtypes = arguments
        if loaded.rs_version() != VERSION:
            raise Error("%s speaks version %d of the interface, this Python package version %d. Use the package "
                        "that was installed with it." % (found[0], loaded.rs_version(), VERSION))
        _library = loaded
    return _library


def last_error():
    text = library().rs_error()
    return text.decode("utf-8", "replace") if text else "unknown error"


def check(code):
    """Raises the error of a negative return code."""
    if code < 0:
        error = _EXCEPTIONS.get(code, Error)(last_error())
        if code == COMM:
            error.truncated = library().rs_error_reason() == TRUNCATED
        raise error
    return code


def as_rank(value, what="the other side"):
    """A rank as an integer, also from NumPy or torch; TypeError for anything else."""
    try:
        return operator.index(value)
    except TypeError:
        pass
    hint = ": // divides without a remainder" if isinstance(value, float) else ""
    raise TypeError("%s: a rank is an integer, not %r (%s)%s" % (what, value, type(value).__name__, hint))


def operator_code(op):
    """The number of an operator given by its name ("sum") or number."""
    if isinstance(op, int) and 0 <= op <= BXOR:
        return int(op)
    code = OPERATORS.get(str(op).lower())
    if code is None:
        raise UsageError("%r is no operator; there are: %s." % (op, ", ".join(sorted(OPERATORS))))
    return code
