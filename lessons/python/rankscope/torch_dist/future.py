"""The future of a Work, for programs that chain callbacks."""
import torch


class Future(torch.futures.Future):
    """The future of a Work, completed by the thread that waits for it."""

    def __init__(self, work, source=None, callback=None):
        super().__init__()
        self._work = work
        self._source = source
        self._callback = callback
        self._over = False

    def _complete(self):
        if self._over:
            return
        self._over = True
        self._work.wait()
        if self._callback is None:
            self.set_result(self._work.result())
            return
        self._source._complete()
        try:
            self.set_result(self._callback(self._source))
        except Exception as problem:
            self.set_exception(problem)

    def wait(self):
        self._complete()
        return super().wait()

    def value(self):
        self._complete()
        return super().value()

    def done(self):
        if not self._over and self._work.is_completed():
            self._complete()
        return self._over

    def then(self, callback):
        return Future(self._work, self, callback)

    def add_done_callback(self, callback):
        self._complete()
        callback(self)
