"""A communicator: messages, built-in collectives, phases."""
import contextlib
import ctypes
import os
import threading
import time

from . import _memory, _native, _quick
from ._native import BLOCKING, MESSAGE, PENDING, Memory, Status, check
from ._places import here

# The longest wait in the library, in milliseconds, before Python handles Ctrl-C; a shorter one if several threads use the
# communicator. In virtual time a wait is not divided, because only the simulation knows when its time is over.
_SLICE = 100
_SHARED_SLICE = 1
_VIRTUAL = bool(os.environ.get("RANKSCOPE_VIRTUAL_TIME"))
if _VIRTUAL:
    _SLICE = _SHARED_SLICE = 1_000_000_000

_NOTHING = Memory()


class Request:
    """A message or a collective that is under way."""
    __slots__ = ("comm", "handle", "keep", "status", "error", "finish", "__weakref__")

    def __init__(self, comm, handle, keep, finish=None):
        self.comm = comm
        self.handle = handle  # an int from the fast path, later a c_void_p; null when it is done
        self.keep = keep      # objects that must live until then
        self.finish = finish  # to be called once when it is done
        self.status = None
        self.error = None

    @property
    def over(self):
        return not self.handle

    def wait(self, timeout=None):
        """Waits until it is done and returns its Status; False if a timeout (seconds) passes first."""
        if self.handle:
            status = Status()
            try:
                if not self.comm.wait_for(self.pointer(), status, timeout):
                    return False
            except _native.Error as problem:
                self.error = problem
                self.keep = None
                raise
            self._ended(status)
        elif self.error is not None:
            raise self.error
        return self.status

    def pointer(self):
        if type(self.handle) is int:
            self.handle = ctypes.c_void_p(self.handle)
        return self.handle

    def failed(self, code):
        """Records that the fast path ended it with an error's code; wait() raises the error."""
        self.handle = self.keep = None
        try:
            check(code)
        except _native.Error as problem:
            self.error = problem

    def _ended(self, status):
        self.status = status
        finish, self.finish = self.finish, None
        if finish is not None:
            finish(status)
        self.keep = None

    def test(self):
        """Returns whether wait() would not block."""
        if not self.handle:
            return True
        done = ctypes.c_int()
        with self.comm.lock:
            check(_native.library().rs_test(self.handle, ctypes.byref(done)))
        return bool(done.value)

    def __del__(self):
        # The memory of a message under way must stay until the message is done.
        if self.handle and self.comm.session.open:
            self.comm.session.orphans.append((self.comm, self.pointer(), self.keep))


class Communicator:
    """Ranks that exchange messages, numbered 0 to size - 1 within this communicator."""

    def __init__(self, session, handle):
        library = _native.library()
        self.session = session
        self.handle = ctypes.c_void_p(handle) if isinstance(handle, int) else handle
        self.rank = library.rs_rank(self.handle)
        self.size = library.rs_size(self.handle)
        self.lock = threading.Lock()
        self._isend, self._irecv, self._wait = library.rs_isend, library.rs_irecv, library.rs_wait
        self._thread = threading.get_ident()
        self._slice = _SLICE
        self.quick = _quick.of(session, self.handle, self.lock, _SLICE)
        session.quicks.append(self.quick)

    def __repr__(self):
        return "<rankscope.Communicator rank %d of %d>" % (self.rank, self.size)

    def world_rank(self, rank):
        """The world rank of a rank of this communicator."""
        return _native.library().rs_world_rank(self._open(), rank)

    # ---- for other parts of the package ----

    def _open(self):
        if self.session.handle is None:
            raise _native.UsageError("This rank has left the run (or this process was forked from a rank). Join "
                                     "again before you communicate.")
        if threading.get_ident() != self._thread:
            self._slice = _SHARED_SLICE
        return self.handle

    def _call(self, name, *arguments):
        """Calls a function of the library with this communicator."""
        comm = self._open()
        with self.lock:
            check(getattr(_native.library(), name)(comm, *arguments))

    def start_send(self, memory, to, tag=0, flags=0, where=None):
        """Starts a send of described memory and returns its handle."""
        handle = ctypes.c_void_p()
        if type(to) is not int:
            to = _native.as_rank(to, "send")
        if self.session.orphans:
            self.collect_orphans()
        comm, where = self._open(), where or here()
        with self.lock:
            code = self._isend(comm, to, memory, tag, flags, where, ctypes.byref(handle))
            if code < 0:
                check(code)
        return handle

    def start_receive(self, memory, source, tag, flags=0, where=None):
        handle = ctypes.c_void_p()
        if type(source) is not int:
            source = _native.as_rank(source, "recv")
        comm, where = self._open(), where or here()
        with self.lock:
            code = self._irecv(comm, source, memory, tag, flags, where, ctypes.byref(handle))
            if code < 0:
                check(code)
        return handle

    def wait_for(self, handle, status, timeout=None, where=None):
        """Waits until the request is done and its handle null; returns False if `timeout` (seconds) passes first."""
        where = where or here()
        wait = self._wait
        reference = ctypes.byref(handle)
        deadline = None if timeout is None else time.monotonic() + timeout
        self._open()
        self.session.report_threads()
        while True:
            milliseconds = self._slice
            if deadline is not None:
                milliseconds = max(0, min(milliseconds, int((deadline - time.monotonic()) * 1000)))
            with self.lock:
                code = wait(reference, milliseconds, status, where)
                if code < 0:
                    check(code)
            if code != PENDING:
                return True
            if deadline is not None and (_VIRTUAL or time.monotonic() >= deadline):
                return False
            if self._slice == _SHARED_SLICE and not _VIRTUAL:
                time.sleep(0)  # lets another thread that uses this communicator take the lock

    def finish(self, handle, keep, where=None):
        """Waits for a blocking call's end. After Ctrl-C the session keeps the memory, because the message is still under way."""
        status = Status()
        try:
            self.wait_for(handle, status, None, where)
        finally:
            if handle and self.session.open:
                self.session.orphans.append((self, handle, keep))
        return status

    def collect_orphans(self):
        library = _native.library()
        # __del__ may append meanwhile: only what was copied may be removed.
        orphans = self.session.orphans[:]
        del self.session.orphans[:len(orphans)]
        for comm, handle, keep in orphans:
            done = ctypes.c_int()
            with comm.lock:
                over = library.rs_test(handle, ctypes.byref(done)) < 0 or done.value
                if over:
                    library.rs_drop(ctypes.byref(handle))
            if not over:
                self.session.orphans.append((comm, handle, keep))

    def run_collective(self, name, source, target, op=0, root=0, algorithm=None, background=False, where=None):
        """Runs a built-in collective on described memory; returns its handle if it runs in the background."""
        call = _native.Call(name, algorithm, source or _NOTHING, target or _NOTHING, op,
                            _native.as_rank(root, name.decode()))
        handle = ctypes.c_void_p() if background else None
        self._call("rs_collective", call, where or here(), ctypes.byref(handle) if background else None)
        return handle

    def note(self, what, peer):
        with self.lock:
            _native.library().rs_note(self._open(), what, peer, here())

    def _describe(self, data, write=False):
        return _memory.describe(data, self.session.full_trace, write)

    # ---- messages ----

    def send(self, data, to, tag=0):
        """Sends a buffer (torch tensor, NumPy array, bytes ...) and waits until it may be changed again."""
        memory, keep = self._describe(_packed(data))
        where = here()
        self.finish(self.start_send(memory, to, tag, BLOCKING, where), keep, where)

    def recv(self, data, source=_native.ANY, tag=_native.ANY):
        """Receives into a buffer and returns the Status (source, tag, bytes)."""
        if not _memory.is_contiguous(data):
            return self._recv_copied(data, source, tag)
        memory, keep = self._describe(data, True)
        where = here()
        return self.finish(self.start_receive(memory, source, tag, BLOCKING, where), keep, where)

    def _recv_copied(self, data, source, tag):
        packed = _packed(data)
        status = self.recv(packed, source, tag)
        data[...] = packed
        return status

    def isend(self, data, to, tag=0):
        """Starts a send. The buffer must not be changed before the Request's wait()."""
        memory, keep = self._describe(_packed(data))
        return Request(self, self.start_send(memory, to, tag), keep)

    def irecv(self, data, source=_native.ANY, tag=_native.ANY):
        """Starts a receive. The buffer must not be read before the Request's wait()."""
        if not _memory.is_contiguous(data):
            raise _native.UsageError("The buffer has to be contiguous: irecv into a new buffer, and copy it into the "
                                     "slice after wait().")
        memory, keep = self._describe(data, True)
        return Request(self, self.start_receive(memory, source, tag), keep)

    def sendrecv(self, data, to, into, source=_native.ANY, tag=0, receive_tag=None):
        """Sends and receives at once; the buffers must not overlap. Returns the receive's Status."""
        receive = self.irecv(into, source, tag if receive_tag is None else receive_tag)
        send = self.isend(data, to, tag)
        status = receive.wait()
        send.wait()
        return status

    def recv_message(self, source=_native.ANY, tag=_native.ANY):
        """Receives a message of any size: (its bytes, its Status)."""
        where = here()
        handle = self.start_receive(None, source, tag, BLOCKING | MESSAGE, where)
        return take_message(self.finish(handle, None, where))

    def probe(self, source=_native.ANY, tag=_native.ANY):
        """The Status of a message that has come, or None."""
        found, status = ctypes.c_int(), Status()
        self._call("rs_probe", source, tag, ctypes.byref(found), status)
        return status if found.value else None

    # ---- collectives (built-in: marked as such in the trace) ----

    def barrier(self):
        self.run_collective(b"barrier", None, None)

    def allreduce(self, data, op="sum", algorithm=None):
        """In place: afterwards every rank has the reduction of all ranks' data."""
        self._collective(b"allreduce", data, data, op, 0, algorithm)

    def reduce(self, data, root=0, op="sum", algorithm=None):
        """In place on the root; on other ranks `data` is scratch memory afterwards."""
        self._collective(b"reduce", data, data, op, root, algorithm)

    def broadcast(self, data, root=0, algorithm=None):
        self._collective(b"broadcast", data if self.rank == root else None, data, "sum", root, algorithm)

    def allgather(self, into, data, algorithm=None):
        self._collective(b"allgather", data, into, "sum", 0, algorithm)

    def gather(self, into, data, root=0, algorithm=None):
        self._collective(b"gather", data, into if self.rank == root else None, "sum", root, algorithm)

    def scatter(self, into, data, root=0, algorithm=None):
        self._collective(b"scatter", data if self.rank == root else None, into, "sum", root, algorithm)

    def reduce_scatter(self, into, data, op="sum", algorithm=None):
        self._collective(b"reduce_scatter", data, into, op, 0, algorithm)

    def alltoall(self, into, data, algorithm=None):
        self._collective(b"alltoall", data, into, "sum", 0, algorithm)

    def _collective(self, name, source, target, op, root, algorithm):
        given = None if source is None else self._describe(source)
        wanted = None if target is None else self._describe(target, True)
        self.run_collective(name, given and given[0], wanted and wanted[0], _native.operator_code(op), root,
                            algorithm and algorithm.encode())

    def split(self, color, key=None, call=None):
        """Ranks with the same color form a communicator, ordered by key, then rank. None for a negative color."""
        handle = ctypes.c_void_p()
        self._call("rs_split", color, self.rank if key is None else key, call and call.encode(), here(),
                   ctypes.byref(handle))
        return Communicator(self.session, handle) if handle else None

    def group(self, ranks, key, call=None):
        """The communicator of these ranks, in this order, which its members alone make with a key that no other group has."""
        handle = ctypes.c_void_p()
        self._call("rs_group", (ctypes.c_int32 * len(ranks))(*ranks), len(ranks), key.encode("utf-8", "replace"),
                   call and call.encode(), here(), ctypes.byref(handle))
        return Communicator(self.session, handle)

    def free(self):
        if self.session.open and self.handle:
            self.quick.close()
            self.session.quicks.remove(self.quick)
            _native.library().rs_free_comm(self.handle)
            self.handle = ctypes.c_void_p()

    # ---- reports for the trace ----

    @contextlib.contextmanager
    def phase(self, name):
        """`with comm.phase("reduce-scatter"):` names what happens inside in all views."""
        self._call("rs_phase_begin", name.encode("utf-8", "replace"), here())
        try:
            yield
        finally:
            if self.session.open:
                with self.lock:
                    _native.library().rs_phase_end(self.handle)

    def watch(self, data, name=None):
        """Shows an array's contents in the views. Call it again after the program has changed the array."""
        memory, _ = self._describe(data)
        if name is not None:
            named = Memory()
            ctypes.pointer(named)[0] = memory
            named.name = name.encode("utf-8", "replace")
            memory = named
        self._call("rs_watch", memory, here())


def take_message(status):
    """The bytes of a message that the library handed over, and its Status."""
    data = ctypes.string_at(status.message, status.bytes) if status.message else b""
    if status.message:
        _native.library().rs_free(status.message)
        status.message = None
    return data, status


def wait_all(requests):
    return [request.wait() for request in requests]


def wait_any(requests):
    """Waits until one is done: (its index, its Status), or (None, None) if none is under way."""
    under_way = [request for request in requests if not request.over]
    if not under_way:
        return None, None
    handles = (ctypes.c_void_p * len(requests))(*[request.handle and request.pointer().value for request in requests])
    index, status = ctypes.c_int(-1), Status()
    comm = under_way[0].comm
    comm.session.report_threads()
    where = here()
    code = PENDING
    while code == PENDING:
        with comm.lock:
            code = _native.library().rs_wait_any(handles, len(requests), comm._slice, ctypes.byref(index), status,
                                                 where)
    if index.value < 0:
        check(code)
        return None, None
    done = requests[index.value]
    done.handle = None  # the library has freed it, even when it failed
    try:
        check(code)
    except _native.Error as problem:
        done.error = problem
        raise
    done._ended(status)
    return index.value, done.status


def _packed(data):
    """The buffer itself if it is contiguous, otherwise a contiguous copy."""
    if _memory.is_contiguous(data):
        return data
    return data.contiguous() if _memory.is_tensor(data) else data.copy()
