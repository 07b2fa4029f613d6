"""The results of calls on a process group."""
import ctypes
import os
import queue
import threading

from torch._C._distributed_c10d import Work as TorchWork

from .. import _native

_Called = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)
_held = set()  # collectives under way: C++ may wait for one, which has no methods once its Python object is gone
_done = queue.SimpleQueue()  # ([callbacks], whether the collective failed)
_caller = None  # PID of the process whose thread runs the callbacks


def _call_what_is_done():
    while True:
        callbacks, failed = _done.get()
        for then in callbacks:
            then(failed)


def _start_caller():
    global _caller
    if _caller != os.getpid():
        _caller = os.getpid()
        thread = threading.Thread(target=_call_what_is_done, name="rankscope-futures", daemon=True)
        thread.rankscope_own = True
        thread.start()


class Work(TorchWork):
    """A torch Work with one request; `after` copies results to where they belong, once it is done."""

    def __init__(self, request, tensors, after=None):
        super().__init__()
        self._request = request
        self._tensors = tensors
        self._after = after
        self._error = None
        self._over = False
        self._lock = threading.Lock()
        self._future = None
        self._callbacks = []  # see when_done()
        self._called = None   # ctypes callback to _ended()
        self._is_called = False
        self._failed = None   # whether it failed, once it has ended

    def wait(self, timeout=None):
        """Blocks until it is done, and returns True. The result must not be used, nor a sent tensor changed, before that."""
        if self._error is not None:
            raise self._error
        seconds = timeout.total_seconds() if hasattr(timeout, "total_seconds") else timeout
        try:
            done = self._wait_for_request(seconds or None)
        except RuntimeError as problem:
            self._error = problem
            if self._future is not None:
                self._future.end(problem)
            raise
        if done is False:
            raise _native.CommunicationError("wait: not done within %s. Wait without a timeout to have a deadlock "
                                             "explained." % timeout)
        self.finish()
        return True

    def _wait_for_request(self, seconds):
        return self._request.wait(seconds)

    def hold(self):
        """Keeps this object alive until the collective ends."""
        _held.add(self)

    def need_no_wait(self):
        """Marks it as waited for: torch itself starts collectives that nothing waits for."""
        self._call_when_done()

    def when_done(self, then):
        """Calls `then(failed)` in a thread of ours once it is done; not for sends and receives."""
        with self._lock:
            self._callbacks.append(then)
            ended = self._failed is not None
        if self._call_when_done():
            _start_caller()
        if ended:
            _done.put(([then], self._failed))

    def _call_when_done(self):
        """Asks the library's thread to call _ended(); returns whether it will, or has."""
        request = self._request
        if self._called is None and not request.over:
            self._called = _Called(self._ended)
            self._is_called = _native.library().rs_when_done(request.pointer(), self._called, None) == 0
        return self._is_called

    def _ended(self, _, failed):
        """Runs in the library's thread, while a wait may hold the communicator's lock."""
        if self._request.handle:
            _native.library().rs_test(self._request.pointer(), ctypes.byref(ctypes.c_int()))  # marks it as waited for
        with self._lock:
            self._failed = bool(failed)
            callbacks = list(self._callbacks)
        if callbacks:
            _done.put((callbacks, self._failed))

    def finish(self):
        """Copies the result and completes the future, once."""
        with self._lock:
            after, self._after = self._after, None
            if after is not None:
                after()
            self._over = True
        _held.discard(self)
        if self._future is not None:
            self._future.end()

    def has_ended(self):
        return self._over or self._error is not None

    def is_completed(self):
        if not self.has_ended() and self._is_request_done():
            try:
                self.wait()
            except RuntimeError:
                pass  # exception() returns it
        return self.has_ended()

    def _is_request_done(self):
        return self._request.test()

    def is_success(self):
        return self.is_completed() and self._error is None

    def exception(self):
        return self._error

    def source_rank(self):
        """The sender of a received message, as a rank of the group."""
        status = self._request.status
        if status is None or status.source < 0:
            raise _native.UsageError("source_rank() is known only for a receive, and after wait().")
        return status.source

    def _source_rank(self):
        return self.source_rank()

    def result(self):
        return self._tensors

    def synchronize(self):
        self.wait()

    def get_future(self):
        if self._future is None:
            from .future import Future  # torch.futures is not there yet when this module is loaded
            self._future = Future(self)
            self._future.begin()
        return self._future

    def works(self):
        """Returns the works of which it consists."""
        return [self]


class Several(Work):
    """Several works as one."""

    def __init__(self, works, tensors=None):
        super().__init__(None, [tensor for work in works for tensor in work.result()] if tensors is None else tensors)
        self._works = works
        self.hold()

    def _wait_for_request(self, seconds):
        for work in self._works:
            work.wait(seconds)

    def _is_request_done(self):
        return all([work.is_completed() for work in self._works])

    def works(self):
        return [one for work in self._works for one in work.works()]


class Done(Work):
    """A call that has ended; `source`: the sender of a received message."""

    def __init__(self, tensors, source=-1):
        super().__init__(None, tensors)
        self._over = True
        self._source = source

    def _wait_for_request(self, seconds):
        return True

    def source_rank(self):
        return self._source

    def works(self):
        return []
