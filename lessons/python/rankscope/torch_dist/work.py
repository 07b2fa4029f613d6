"""The results of asynchronous calls."""
from torch._C._distributed_c10d import Work as TorchWork

from .. import _native


class Work(TorchWork):
    """A torch Work with one request; `after` copies results to where they belong, once it is done."""

    def __init__(self, request, tensors, after=None):
        super().__init__()
        self._request = request
        self._tensors = tensors
        self._after = after
        self._error = None
        self._ended = False

    def wait(self, timeout=None):
        """Blocks until it is done; True. The result must not be used, nor a sent tensor changed, before that."""
        if self._error is not None:
            raise self._error
        if self._ended:
            return True
        seconds = timeout.total_seconds() if hasattr(timeout, "total_seconds") else timeout
        try:
            done = self._request.wait(seconds or None)
        except RuntimeError as problem:
            self._error = problem
            raise
        if done is False:
            raise _native.CommunicationError("wait: not done within %s. Wait without a timeout to have a deadlock "
                                             "explained." % timeout)
        self._finish()
        return True

    def _finish(self):
        self._ended = True
        after, self._after = self._after, None
        if after is not None:
            after()

    def is_completed(self):
        if self._ended or self._error is not None:
            return True
        if self._request.test():
            try:
                self.wait()
            except RuntimeError:
                pass  # exception() returns it
        return self._ended or self._error is not None

    def is_success(self):
        return self.is_completed() and self._error is None

    def exception(self):
        return self._error

    def source_rank(self):
        """The sender of a received message, as a rank of the group."""
        status = self._request.status
        if status is None or status.source < 0:
            raise _native.UsageError("source_rank() is known of a receive, after wait().")
        return status.source

    _source_rank = source_rank

    def result(self):
        return self._tensors

    def synchronize(self):
        self.wait()

    def get_future(self):
        from .future import Future  # torch.futures is not there yet when this module is loaded
        return Future(self)


class Pair:
    """Several requests as one."""

    def __init__(self, requests):
        self._requests = requests
        self.status = None

    def wait(self, timeout=None):
        for request in self._requests:
            if request.wait(timeout) is False:
                return False
        return True

    def test(self):
        return all(request.test() for request in self._requests)
