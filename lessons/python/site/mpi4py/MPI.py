"""mpi4py.MPI on rankscope."""

import pickle
import socket as _socket
import time as _time

from rankscope import _advice, _places

from . import _buffers, _errors, _operations, _types, _world
from ._buffers import BOTTOM, IN_PLACE
from ._communicators import (CART, COMM_NULL, COMM_SELF, COMM_WORLD, CONGRUENT, DIST_GRAPH, GRAPH, IDENT, SIMILAR,
                             UNEQUAL, Cartcomm, Comm, Compute_dims, Group, Intracomm)
from ._errors import SUCCESS, Exception, Get_error_class, Get_error_string
from ._intercomm import Intercomm
from ._messages import Message
from ._operations import OP_NULL, Op
from ._requests import ANY_SOURCE, ANY_TAG, PROC_NULL, ROOT, UNDEFINED, Prequest, Request, Status
from ._types import DATATYPE_NULL, Datatype

globals().update(_types.names)
globals().update(_operations.ops)
globals().update(_errors.codes)
ERR_LASTCODE = 92

REQUEST_NULL = Request()
MESSAGE_NULL, MESSAGE_NO_PROC = Message(), Message(b"")
GROUP_EMPTY = Group()
INFO_NULL = STATUS_IGNORE = STATUSES_IGNORE = ERRORS_RETURN = ERRORS_ARE_FATAL = None
COMM_TYPE_SHARED = 0
TAG_UB, HOST, IO, WTIME_IS_GLOBAL = 0, 1, 2, 3
MAX_PROCESSOR_NAME = MAX_ERROR_STRING = 255
THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE = 0, 1, 2, 3
VERSION, SUBVERSION = 3, 1
BSEND_OVERHEAD = 0
ORDER_C = ORDER_FORTRAN = 0

_typedict = dict(_types.by_code)
_typecodes = {datatype.name: code for code, datatype in _types.by_code.items()}
_finalized = False


def Init():
    """The run is joined when the first communicator is used."""


def Init_thread(required=THREAD_MULTIPLE):
    return THREAD_SERIALIZED


def Query_thread():
    return THREAD_SERIALIZED


def Is_thread_main():
    import threading
    return threading.current_thread() is threading.main_thread()


def Is_initialized():
    return True


def Finalize():
    global _finalized
    _finalized = True
    _advice.left(_places.innermost(), finalized=True)
    _world.finalize()


def Is_finalized():
    return _finalized


def Wtime():
    import rankscope
    from rankscope import _session
    return rankscope.now() * 1e-9 if _session.in_virtual_time() else _time.perf_counter()


def Wtick():
    return _time.get_clock_info("perf_counter").resolution


def Get_processor_name():
    return _socket.gethostname()


def Get_version():
    return VERSION, SUBVERSION


def Get_library_version():
    return "rankscope"


def get_vendor():
    return "rankscope", (1, 0, 0)


def Attach_buffer(buf):
    """Does nothing, since Bsend keeps its own copies."""


def Detach_buffer():
    """Waits for the messages of Bsend."""
    _world.end_buffered()


def Get_address(location):
    return _buffers.piece(location, False).address


_kInstead = {"Win": "There is no one-sided communication: send and receive, or let the rank that has the data reduce them.",
             "File": "There is no parallel input and output: open a file of its own on each rank, or gather the data on"
                     " rank 0, which writes them."}


def __getattr__(name):
    if name.startswith("_") or _errors.is_misspelled(name, globals()):
        raise AttributeError(f"module 'mpi4py.MPI' has no attribute '{name}'")
    raise _errors.missing(f"MPI.{name}", _kInstead.get(name) or "It has communicators with messages and collectives, requests, statuses,"
                          " datatypes of numbers, operations, groups and Cartesian grids.")
