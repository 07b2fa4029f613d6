"""rankscope: this program as ranks of a run that can be watched.

    import rankscope
    comm = rankscope.join()
    comm.send(array, (comm.rank + 1) % comm.size)

Programs for torch.distributed, mpi4py and ray.util.collective run unchanged under `rankscope exec`; this is the
interface for programs that need none of them. Buffers are torch tensors, NumPy arrays, bytearrays and the like.
"""
import os
import pickle

from . import _memory, _native, _session
from ._comm import Communicator, Request, wait_all, wait_any
from ._native import ANY, CommunicationError, Error, NoRun, Status, Stopped, UsageError, library

__all__ = ["ANY", "CommunicationError", "Communicator", "Error", "NoRun", "Request", "Status", "Stopped",
           "UsageError", "combine", "join", "leave", "now", "recv_object", "send_object", "wait_all", "wait_any"]


def join(rank=None, size=None, key=None, program=None):
    """Joins the run as a rank, and waits for all others. Without arguments: as `rankscope exec -n` says."""
    if rank is None:
        rank = int(os.environ.get("RANK", "-1"))
    if size is None:
        size = int(os.environ.get("WORLD_SIZE", "0"))
    if size < 1:
        raise UsageError("How many ranks are there? Start the program with `rankscope exec -n 4 -- python3 ...`, or "
                         "give join(rank, size).")
    return _session.join(rank, size, key, "native", program).world


def leave():
    """Leaves the run before the program ends, which does the same."""
    for session in list(_session.sessions):
        session.leave()


def send_object(comm, thing, to, tag=0):
    """Any picklable object as one message."""
    comm.send(pickle.dumps(thing), to, tag)


def recv_object(comm, source=ANY, tag=ANY):
    """Receives an object from send_object. Unpickling runs code of the sender's choice, so trust the sender."""
    data, _ = comm.recv_message(source, tag)
    return pickle.loads(data)


def combine(into, other, op="sum"):
    """into = into op other, elementwise, without communication."""
    target, _ = _memory.describe(into, False, True)
    source, _ = _memory.describe(other, False)
    _native.check(library().rs_combine(target, source, _native.operator_code(op)))


def now():
    """Nanoseconds on the clock of the trace: virtual time, where the run is in it."""
    if _session.in_virtual_time():
        return library().rs_time(_session.sessions[-1].handle)
    return library().rs_now()
