"""The future of a Work, for programs and for C++ that chain callbacks."""
import threading

import torch

from .. import _native


class Future(torch.futures.Future):
    """Is completed by the thread that ends the Work's collective, or by a thread that waits for it before that. `work` is
    waited for in the run's own way, so that a deadlock is noticed."""

    def __init__(self, work, source=None):
        super().__init__()
        self._work = work
        self._source = source
        self._left = 0
        self._first = threading.Lock()

    def begin(self):
        """Has the Work's future completed, in a backward pass at its end at the latest: DistributedDataParallel's C++
        waits there in a way of its own."""
        works = self._work.works()
        self._left = len(works)
        for work in works:
            work.when_done(self._work_ended)
        if not works:
            self._work.finish()
        try:
            torch.autograd.Variable._execution_engine.queue_callback(self._work.wait)
        except RuntimeError:
            pass  # no backward pass is under way

    def _work_ended(self, failed):
        self._left -= 1
        if failed:
            self.end(_native.CommunicationError("The collective failed: wait() of its Work says why."))
        elif self._left == 0:
            self._work.finish()

    def end(self, problem=None):
        if not self._first.acquire(blocking=False):
            return  # the other thread completes it
        if problem is None:
            self.set_result(self._work.result())
        else:
            self.set_exception(problem)

    def wait(self):
        if not super().done():
            self._work.wait()
        return super().wait()

    def value(self):
        self.wait()
        return super().value()

    def done(self):
        if not super().done():
            self._work.is_completed()
        return super().done()

    def then(self, callback):
        chained = Future(self._work, self)

        def call(_):
            try:
                chained.set_result(callback(self))
            except Exception as problem:
                chained.set_exception(problem)
        self.add_done_callback(call)
        return chained
