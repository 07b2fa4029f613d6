"""Status and Request."""

import time

from rankscope import _comm, _native

from ._errors import failed, missing
from ._types import by_code, datatype_of

ANY_SOURCE, ANY_TAG, PROC_NULL, ROOT, UNDEFINED = -1, -1, -2, -4, -32766


class Status:
    """The source, tag and size of a message."""

    def __init__(self, status=None):
        self._source, self._tag, self._bytes, self._error, self._cancelled = ANY_SOURCE, ANY_TAG, 0, 0, False
        if status is not None:
            self._set(status._source, status._tag, status._bytes)

    def _set(self, source, tag, size):
        self._source, self._tag, self._bytes = source, tag, size

    def Get_source(self):
        return self._source

    def Set_source(self, source):
        self._source = source

    def Get_tag(self):
        return self._tag

    def Set_tag(self, tag):
        self._tag = tag

    def Get_error(self):
        return self._error

    def Set_error(self, error):
        self._error = error

    def Get_count(self, datatype=by_code["B"]):
        size = datatype_of(datatype).size
        return self._bytes // size if self._bytes % size == 0 else UNDEFINED

    Get_elements = Get_count

    def Is_cancelled(self):
        return self._cancelled

    source, tag, error = property(Get_source, Set_source), property(Get_tag, Set_tag), property(Get_error, Set_error)
    count, cancelled = property(Get_count), property(Is_cancelled)


def note(status, source, tag, size):
    if status is not None:
        if not isinstance(status, Status):
            raise TypeError("status has to be an MPI.Status(): status = MPI.Status(); comm.Recv(buf, status=status)")
        status._set(source, tag, size)


class Request:
    """A message or a collective that is under way. Afterwards it is MPI.REQUEST_NULL."""

    _inner = _take = _result = None
    _ended = _nothing = (ANY_SOURCE, ANY_TAG, 0)

    def __init__(self, request=None):
        if request is not None:
            self.__dict__.update(request.__dict__)

    @classmethod
    def _of(cls, inner, take=None):
        """`take(message, source)` gives what wait() returns."""
        request = cls()
        request._inner, request._take = inner, take
        return request

    @classmethod
    def _done(cls, source=ANY_SOURCE, result=None):
        """A finished request, as for MPI.PROC_NULL."""
        request = cls()
        request._ended, request._result = (source, ANY_TAG, 0), result
        return request

    def __bool__(self):
        return self._inner is not None

    def __eq__(self, other):
        if not isinstance(other, Request):
            return NotImplemented
        return self is other or (self._inner is None and other._inner is None)

    __hash__ = object.__hash__

    def _finish(self, status, inner, got):
        """Ends a wait, whose fast path returned `got`, and fills `status`."""
        if inner is not None:
            if type(got) is tuple:
                inner.handle = inner.keep = self._inner = None
                self._ended = got[:3]
                if self._take is not None:
                    self._take_message(got[3])
            else:
                self._wait_long(inner, got)
        if status is not None:
            note(status, *self._ended)
        self._ended = self._nothing
        result, self._result = self._result, None
        return result

    def _wait_long(self, inner, code):
        if code is not None:
            inner.failed(code)
        try:
            got = calling(inner.wait)
        finally:
            if inner.over:
                self._inner = None
        self._end(got)

    def _end(self, got):
        self._inner = None
        self._ended = (got.source, got.tag, got.bytes)
        self._take_message(_comm.take_message(got)[0] if self._take is not None else None)

    def _take_message(self, message):
        take, self._take = self._take, None
        if take is not None:
            self._result = take(message or b"", self._ended[0])

    def _poll(self):
        return self._inner is None or calling(self._inner.test)

    # The fast path is called right here: each function between it and the program costs time.
    def wait(self, status=None):
        inner = self._inner
        return self._finish(status, inner, None if inner is None else inner.comm.quick.wait(inner.handle))

    def test(self, status=None):
        return (True, self.wait(status)) if self._poll() else (False, None)

    def Wait(self, status=None):
        inner = self._inner
        self._finish(status, inner, None if inner is None else inner.comm.quick.wait(inner.handle))
        return True

    def Test(self, status=None):
        if self._poll():
            self.wait(status)
            return True
        return False

    def Get_status(self, status=None):
        if not self._poll():
            return False
        if self._inner is not None:  # what has come is kept for the wait, which then needs no more
            self._wait_long(self._inner, None)
        note(status, *self._ended)
        return True

    get_status = Get_status

    def Cancel(self):
        raise missing("Request.Cancel", "A message that was started has to be matched: receive it, or do not start"
                      " it.")

    cancel = Cancel

    def Free(self):
        self._inner = None

    # ---- several requests ----

    @classmethod
    def waitall(cls, requests, statuses=None):
        return [request.wait(status) for request, status in zip(requests, _statuses(statuses, requests))]

    @classmethod
    def Waitall(cls, requests, statuses=None):
        cls.waitall(requests, statuses)
        return True

    @classmethod
    def testall(cls, requests, statuses=None):
        if not all([request._poll() for request in requests]):
            return False, None
        return True, cls.waitall(requests, statuses)

    @classmethod
    def Testall(cls, requests, statuses=None):
        return cls.testall(requests, statuses)[0]

    @classmethod
    def waitany(cls, requests, status=None):
        under_way = [request for request in requests if request._inner is not None]
        if not under_way:
            note(status, ANY_SOURCE, ANY_TAG, 0)
            return UNDEFINED, None
        index, got = calling(_comm.wait_any, [request._inner for request in under_way])
        under_way[index]._end(got)
        return next(i for i, r in enumerate(requests) if r is under_way[index]), under_way[index].wait(status)

    @classmethod
    def Waitany(cls, requests, status=None):
        return cls.waitany(requests, status)[0]

    @classmethod
    def testany(cls, requests, status=None):
        for index, request in enumerate(requests):
            if request._inner is not None and request._poll():
                return index, True, request.wait(status)
        return UNDEFINED, all(request._inner is None for request in requests), None

    @classmethod
    def Testany(cls, requests, status=None):
        return cls.testany(requests, status)[:2]

    @classmethod
    def waitsome(cls, requests, statuses=None):
        first, result = cls.waitany(requests)
        if first == UNDEFINED:
            return None, None
        indices, results = [first], [result]
        for index, request in enumerate(requests):
            if request._inner is not None and request._poll():
                indices.append(index)
                results.append(request.wait(None))
        return indices, results

    @classmethod
    def Waitsome(cls, requests, statuses=None):
        return cls.waitsome(requests, statuses)[0]

    @classmethod
    def testsome(cls, requests, statuses=None):
        if all(request._inner is None for request in requests):
            return None, None
        done = [i for i, request in enumerate(requests) if request._inner is not None and request._poll()]
        return done, [requests[i].wait(None) for i in done]

    @classmethod
    def Testsome(cls, requests, statuses=None):
        return cls.testsome(requests, statuses)[0]


class Prequest(Request):
    """A request of Send_init or Recv_init: Start() begins its message, and may be called again after wait()."""

    def __init__(self, begin=None):
        if isinstance(begin, Request):
            super().__init__(begin)
            return
        super().__init__()
        self._begin = begin

    def __bool__(self):
        return self._begin is not None

    def __eq__(self, other):
        return self is other

    __hash__ = Request.__hash__

    def Start(self):
        if self._begin is None:
            raise failed("ERR_REQUEST", "this persistent request was freed")
        if self._inner is not None:
            raise failed("ERR_REQUEST", "this persistent request is under way: Wait for it before the next Start")
        begun = self._begin()
        self._inner, self._take, self._ended = begun._inner, begun._take, begun._ended

    start = Start

    @classmethod
    def Startall(cls, requests):
        for request in requests:
            request.Start()

    startall = Startall

    def Free(self):
        self._inner = self._begin = None


def _statuses(statuses, requests):
    if statuses is None:
        return [None] * len(requests)
    while len(statuses) < len(requests):
        statuses.append(Status())
    return statuses


def calling(function, *args):
    """Calls rankscope; a message that does not fit becomes MPI's error."""
    try:
        return function(*args)
    except _native.CommunicationError as error:
        if error.truncated:
            raise failed("ERR_TRUNCATE", str(error)) from None
        raise


def pause(count):
    """Sleeps between two probes, briefly at first."""
    time.sleep(0 if count < 50 else min(0.001, 0.00002 * count))
