"""Joining and leaving runs."""
import ctypes
import gc
import _thread
import os
import sys
import threading
import time

from . import _memory, _native, _notes, _places, _process
from ._comm import _VIRTUAL, Communicator, Request

_MOST_DRAINED = 2  # seconds

sessions = []  # sessions that this process has joined and not left


def _threads():
    """threading.active_count() without its lock, since every wait calls it."""
    try:
        return len(threading._active) + len(threading._limbo)
    except AttributeError:
        return threading.active_count()


def program_threads():
    """The threads that act for the program, without those of our own stand-ins."""
    return [one for one in threading.enumerate() if not getattr(one, "rankscope_own", False)]


class Session:
    """A rank's part in one world."""

    def __init__(self, handle):
        self.handle = handle
        self.process = os.getpid()
        self.full_trace = bool(_native.library().rs_full_trace(handle))
        self.threaded = False
        self.orphans = []  # requests that the program dropped before they were done
        self.buffered = []  # requests of MPI's Bsend, for which the program need not wait
        self.drains = False  # set by platforms that still complete messages at the end for which the program did not wait
        self.quicks = []
        self.world = Communicator(self, _native.library().rs_world(handle))
        self._watched = _watch_work(handle) if self.world.handle and not os.environ.get("RANKSCOPE_AGENT") else None

    def report_threads(self):
        """Reports whether another thread may go on while this one waits, so that no deadlock is seen."""
        count = _threads()
        if count > 1:
            count = len(program_threads())
        if (count > 1) != self.threaded:
            self.threaded = count > 1
            _native.library().rs_threads(self.handle, count)

    @property
    def open(self):
        return self.handle is not None

    def end_quick_calls(self):
        """Ends fast-path calls, since the library's communicators end or belong to another process."""
        for quick in self.quicks:
            quick.close()
        self.quicks.clear()

    def end_buffered(self):
        while self.buffered:
            self.buffered.pop(0).wait()

    def _drain(self):
        """Completes open messages for at most two seconds, because some may never be received."""
        begun = [one for one in gc.get_objects() if type(one) is Request and one.handle and one.comm.session is self]
        until = time.monotonic() + _MOST_DRAINED
        while time.monotonic() < until:
            self.world.collect_orphans()
            if not self.orphans and all(one.test() for one in begun):
                return
            time.sleep(0.0005)

    def leave(self, ok=True, error=None):
        """Leaves the run; communicators and requests cannot be used afterwards."""
        if self.handle is None:
            return
        if ok:
            self.end_buffered()
        if ok and self.drains and not _VIRTUAL:
            self._drain()
        _notes.left()
        handle, self.handle = self.handle, None
        self.end_quick_calls()
        if self in sessions:
            sessions.remove(self)
        _process.unregister(self.leave)
        _memory.forget()
        text = None if error is None else str(error).encode("utf-8", "replace")
        if self._watched is not None:
            self._watched.acquire()  # the thread no longer needs the handle
        code = _native.library().rs_leave(handle, 1 if ok else 0, text)
        self.orphans.clear()
        _native.check(code)


def _watch_work(handle):
    """Starts a thread that records for the trace this thread's line, if it is in no verb when the run is stopped. It is
    not part of the program, so `threading` does not list it. Returns a lock that is free once the handle is unused."""
    under_way = _thread.allocate_lock()
    under_way.acquire()
    rank = threading.get_ident()

    @_native.Ask
    def ask(where):
        if not where:
            under_way.release()
            return
        stack = _places.of_thread(rank)
        if stack is not None:
            where[0] = stack

    _thread.start_new_thread(_native.library().rs_watch_work, (handle, ask))
    return under_way


def in_virtual_time():
    """Returns whether this process is a rank with a virtual clock (rankscope exec --sim)."""
    return bool(_VIRTUAL and sessions and sessions[-1].open and sessions[-1].process == os.getpid())


def set_idle(idle, place=None):
    """Reports whether the ranks of this process wait for something that only other ranks can bring about (see rs_idle);
    `place` is the line that waits."""
    for session in sessions:
        if session.handle is not None and not session.threaded:
            _native.library().rs_idle(session.handle, idle, _places.as_stack(place))


def end_for_no_fault(why, trace):
    """Reports that this process's ranks end because something else failed; `trace` is that failure's traceback."""
    where = _places.as_stack(_places.of_traceback(trace))
    for session in sessions:
        if session.handle is not None:
            _native.library().rs_ended(session.handle, _bytes(why), where)


def program_name():
    name = sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-c", "-m") else "python"
    return os.path.basename(name)


def join_handle(rank, size, key, platform, program):
    """The library's handle of a rank's part in a run; with size 0: of one that is only given tasks."""
    options = _native.JoinOptions(rank=rank, size=size, key=_bytes(key), platform=_bytes(platform),
                                  program=_bytes(program))
    handle = ctypes.c_void_p()
    _native.check(_native.library().rs_join(ctypes.byref(options), ctypes.byref(handle)))
    return handle


def join(rank, size, key, platform, program=None):
    """Joins the world of `key` as `rank`, and waits for all others."""
    handle = join_handle(rank, size, key, platform, program or program_name())
    _process.forget_failure()
    _notes.joined(rank, size, key)
    session = Session(handle)
    sessions.append(session)
    _process.register(session.leave)
    return session


def _bytes(text):
    return None if text is None else text.encode("utf-8", "replace")


def _forked():
    """Forgets the parent's runs in a forked child, which is no rank."""
    for session in sessions:
        session.handle = None
        session.orphans.clear()
        session.end_quick_calls()
    sessions.clear()
    _memory.forget()


os.register_at_fork(after_in_child=_forked)
