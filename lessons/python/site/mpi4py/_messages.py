"""Messages between ranks: the upper-case functions on buffers, the lower-case ones on objects."""

import ctypes
import linecache
import pickle
import re
from pickle import dumps

from rankscope import _advice, _comm, _lost, _memory, _native, _places, _quick
from rankscope._places import here

from . import _world
from ._buffers import piece, warn_of_one_memory, warn_of_order
from ._errors import failed, missing
from ._requests import ANY_SOURCE, ANY_TAG, PROC_NULL, Prequest, Request, calling, note, pause


_new = object.__new__
kRoom = 32768  # of mpi4py's irecv without a buffer, in bytes
kFrame = b"\x80\x05\x95"  # the beginning of an object's message; its length follows


def _is_object(data):
    """Returns whether these bytes are an object from send()."""
    return bytes(data[:3]) == kFrame and len(data) >= 11 + int.from_bytes(data[3:11], "little")


def _object_in(data, source):
    """The object in a message."""
    try:
        return pickle.loads(data)
    except Exception:
        if _is_object(data):
            raise  # an object that cannot be unpickled here
    raise TypeError(f"recv mixes buffers and objects: the message of {len(data)} bytes from rank {source} is a"
                    " buffer, which Send sends and Recv receives. Use Recv here, or send (lower case) there: send and"
                    " recv are for objects, Send and Recv for buffers.")


def _fitting(data, room):
    if len(data) > room:
        raise failed("ERR_TRUNCATE", f"the object has {len(data)} bytes, and irecv has room for {room}"
                                     f"{': without a buffer it has no more' if room == kRoom else ''}. Give it one that"
                                     " is large enough, as in comm.irecv(bytearray(1 << 20), source=...), or use recv")
    return data


def _no_buffer(size, source):
    return TypeError(f"Recv mixes buffers and objects: the message of {size} bytes from rank {source} is an"
                     " object, which send sends and recv receives. Use recv here, or Send (upper case) there: send"
                     " and recv are for objects, Send and Recv for buffers.")


def _check_buffer(wanted, got):
    """Raises an error for an object that was received into a buffer."""
    if got.bytes <= 11 or not wanted.memory or not wanted.memory.data:
        return
    begin, last = ctypes.string_at(wanted.memory.data, 11), ctypes.string_at(wanted.memory.data + got.bytes - 1, 1)
    if begin[:3] == kFrame and last == pickle.STOP and int.from_bytes(begin[3:], "little") + 11 <= got.bytes:
        raise _no_buffer(got.bytes, got.source)


def _line():
    return linecache.getline(*(_places.innermost() or ("", 0))[:2])


def _is_written(rank):
    """Returns whether the program's line names this rank by its number."""
    return re.search(rf"(?<![\w.+*-]){rank}(?![\w.])", _line()) is not None


def _instead(rank, me, size):
    """Advice where a computed rank does not exist: one after the last, or a partner farther away."""
    named = re.search(r"(?:dest|source) *= *([A-Za-z_]\w*) *[,)]", _line())
    if rank <= size or rank - me == 1 or named is None:
        return " Take the number modulo size, or use MPI.PROC_NULL where there is no such rank"
    return f" Leave the message out, on both sides, where there is no such rank (if {named[1]} < size:), or use MPI.PROC_NULL there"


class Message:
    """A message that mprobe() has taken out of what has come. recv() or Recv() gives its contents, once."""

    def __init__(self, data=None, source=PROC_NULL, tag=ANY_TAG):
        self._data, self._source, self._tag = data, source, tag

    def __bool__(self):
        return self._data is not None

    def _take(self, status):
        if self._data is None:
            raise failed("ERR_REQUEST", "this message was received already, or there was none")
        data, self._data = self._data, None
        note(status, self._source, self._tag, len(data))
        return data

    def recv(self, status=None):
        data = self._take(status)
        return None if self._source == PROC_NULL else _object_in(data, self._source)

    def Recv(self, buf, status=None):
        data = self._take(status)
        into = piece(buf, False, True)
        if _is_object(data) and (into.datatype.name != "MPI_BYTE" or into.bytes != len(data)):  # else it is meant as it is
            raise _no_buffer(len(data), self._source)
        into.fill(data)

    def irecv(self):
        return Request._done(self._source, self.recv())

    def Irecv(self, buf):
        self.Recv(buf)
        return Request._done(self._source)


class Messages:
    """The point-to-point part of a communicator. `_comm` is rankscope's."""

    def _rank(self, rank, what):
        if type(rank) is not int:
            rank = _native.as_rank(rank, "MPI")
        there = _world.there(self._comm)
        size = there.size
        if rank >= size or (rank < 0 and rank not in what):
            highest, listed = _advice.ranks_named((_places.innermost() or ("", 0))[0])
            written = rank > 0 and (_is_written(rank) or rank in listed)
            more = f" If the program is written for more ranks, start it with -n {max(rank, written and highest) + 1}." \
                if written or rank > size else ""
            raise failed("ERR_RANK", f"{rank}; there are ranks 0 to {size - 1}.{more}" + (
                "" if written else _instead(rank, there.rank, size)))
        return rank

    def _dest(self, rank, tag):
        if tag < 0:
            raise failed("ERR_TAG", f"{tag}; tags of sends begin at 0")
        return self._rank(rank, (PROC_NULL,))

    def _source(self, rank, tag):
        if tag < 0 and tag != ANY_TAG:
            raise failed("ERR_TAG", str(tag))
        return self._rank(rank, (PROC_NULL, ANY_SOURCE))

    def _there(self):
        if isinstance(self._comm, _world.Local):
            raise missing("A message on MPI.COMM_SELF", "A rank has its own data; use MPI.COMM_WORLD to send it to"
                          " others.")
        comm = self._joined = _world.there(self._comm)
        self._quick = comm.quick
        return comm

    # ---- in common ----

    _quick = _quick.NONE  # the communicator's, after a message on the slow path

    def _described(self, buf, write=False):
        """The memory of a buffer; from now on the fast path knows an array."""
        found = piece(buf, _world.full(self._comm), write)
        if not write:
            warn_of_order(found)
        if _memory.is_plain_array(buf):
            self._quick.learn(buf, ctypes.addressof(found.memory), found.memory)
        return found

    def _started(self, handle, keep, take=None):
        """The request of a message that was posted on the fast path."""
        if handle < 0:
            _native.check(handle)
        request = _new(Request)
        request._inner = _comm.Request(self._joined, handle, keep)
        if take is not None:
            request._take = take
        return request

    def _finish(self, code, keep):
        """Goes on waiting for a message that is not done after the first part of its wait, or raises its error."""
        _native.check(code)
        return self._there().finish(ctypes.c_void_p(code), keep, here())

    def _send_now(self, memory, keep, dest, tag, flags=0):
        comm, where = self._there(), here()
        comm.finish(comm.start_send(memory, dest, tag, _native.BLOCKING | flags, where), keep, where)

    def _send_later(self, memory, keep, dest, tag, flags=0):
        comm = self._there()
        return Request._of(_comm.Request(comm, comm.start_send(memory, dest, tag, flags, here()), keep))

    def _send(self, buf, dest, tag, flags=0, done=None):
        """`done`: what the quick way has come to; None: nothing."""
        if done is not None:
            self._finish(done, buf)
            return
        dest = self._dest(dest, tag)
        if dest != PROC_NULL:
            given = self._described(buf)
            self._send_now(given.memory, given.keep, dest, tag, flags)

    def _isend(self, buf, dest, tag, flags=0):
        handle = self._quick.start_send(buf, dest, tag, flags)
        if handle is not None:
            return self._started(handle, buf)
        dest = self._dest(dest, tag)
        if dest == PROC_NULL:
            return Request._done()
        given = self._described(buf)
        return self._send_later(given.memory, given.keep, dest, tag, flags)

    def _buffered(self, memory, keep, dest, tag):
        """Sends a copy. The library waits for it: in Detach_buffer, or when the rank leaves."""
        comm = self._there()
        comm.session.buffered.append(_comm.Request(comm, comm.start_send(memory, dest, tag, 0, here()), keep))

    # ---- buffers ----

    def Send(self, buf, dest, tag=0):
        done = self._quick.send(buf, dest, tag, 0)
        if done is not True:
            self._send(buf, dest, tag, 0, done)

    Rsend = Send

    def Ssend(self, buf, dest, tag=0):
        done = self._quick.send(buf, dest, tag, _native.RENDEZVOUS)
        if done is not True:
            self._send(buf, dest, tag, _native.RENDEZVOUS, done)

    def Bsend(self, buf, dest, tag=0):
        dest = self._dest(dest, tag)
        if dest != PROC_NULL:
            given = piece(buf, False)
            data = bytearray(given.copy())
            copied = piece([data, given.count, given.datatype] if data else None, _world.full(self._comm))
            self._buffered(copied.memory, copied.keep, dest, tag)

    def Ibsend(self, buf, dest, tag=0):
        self.Bsend(buf, dest, tag)
        return Request._done()

    def Isend(self, buf, dest, tag=0):
        return self._isend(buf, dest, tag)

    Irsend = Isend

    def Issend(self, buf, dest, tag=0):
        return self._isend(buf, dest, tag, _native.RENDEZVOUS)

    def Recv(self, buf, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        _lost.filled("Recv", buf)
        got = self._quick.receive(buf, source, tag)
        if type(got) is tuple:
            if got[3]:
                raise _no_buffer(got[2], got[0])
            return None if status is None else note(status, *got[:3])
        if got is not None:
            got = calling(self._finish, got, buf)
            return note(status, got.source, got.tag, got.bytes)
        source = self._source(source, tag)
        if source == PROC_NULL:
            return note(status, PROC_NULL, ANY_TAG, 0)
        wanted, comm, where = self._described(buf, True), self._there(), here()
        handle = comm.start_receive(wanted.memory, source, tag, _native.BLOCKING, where)
        got = calling(comm.finish, handle, wanted.keep, where)
        _check_buffer(wanted, got)
        note(status, got.source, got.tag, got.bytes)

    def Irecv(self, buf, source=ANY_SOURCE, tag=ANY_TAG):
        _lost.filled("Irecv", buf)
        handle = self._quick.start_receive(buf, source, tag)
        if handle is not None:
            return self._started(handle, buf)
        source = self._source(source, tag)
        if source == PROC_NULL:
            return Request._done(PROC_NULL)
        wanted, comm = self._described(buf, True), self._there()
        return Request._of(_comm.Request(comm, comm.start_receive(wanted.memory, source, tag, 0, here()), wanted.keep))

    def Sendrecv(self, sendbuf, dest, sendtag=0, recvbuf=None, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        if PROC_NULL not in (dest, source):
            warn_of_one_memory(sendbuf, recvbuf)
        receive = self.Irecv(recvbuf, source, recvtag)
        send = self.Isend(sendbuf, dest, sendtag)
        receive.Wait(status)
        send.Wait()

    def Sendrecv_replace(self, buf, dest, sendtag=0, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        both = piece(buf, False, True)
        copy = bytearray(both.copy())
        receive = self.Irecv(buf, source, recvtag)
        send = self.Isend([copy, both.count, both.datatype] if copy else None, dest, sendtag)
        receive.Wait(status)
        send.Wait()

    # ---- persistent requests: the arguments once, the message at each Start ----

    def Send_init(self, buf, dest, tag=0):
        self._dest(dest, tag)
        return Prequest(lambda: self.Isend(buf, dest, tag))

    Rsend_init = Send_init

    def Ssend_init(self, buf, dest, tag=0):
        self._dest(dest, tag)
        return Prequest(lambda: self.Issend(buf, dest, tag))

    def Bsend_init(self, buf, dest, tag=0):
        self._dest(dest, tag)

        def begin():
            self.Bsend(buf, dest, tag)
            return Request._done()
        return Prequest(begin)

    def Recv_init(self, buf, source=ANY_SOURCE, tag=ANY_TAG):
        self._source(source, tag)
        return Prequest(lambda: self.Irecv(buf, source, tag))

    # ---- objects ----

    def _send_object(self, data, dest, tag, flags, done):
        """`done`: what the quick way has come to; None: nothing."""
        if done is not None:
            self._finish(done, data)
            return
        dest = self._dest(dest, tag)
        if dest != PROC_NULL:
            self._send_now(*_memory.describe(data, False), dest, tag, flags)

    def _isend_object(self, obj, dest, tag, flags=0):
        dest = self._dest(dest, tag)
        if dest == PROC_NULL:
            return Request._done()
        data = dumps(obj, 5)
        handle = self._quick.start_send(data, dest, tag, flags)
        return self._started(handle, data) if handle is not None else \
            self._send_later(*_memory.describe(data, False), dest, tag, flags)

    def send(self, obj, dest, tag=0):
        data = None if dest == PROC_NULL else dumps(obj, 5)
        done = self._quick.send(data, dest, tag, 0)
        if done is not True:
            self._send_object(data, dest, tag, 0, done)

    def ssend(self, obj, dest, tag=0):
        data = None if dest == PROC_NULL else dumps(obj, 5)
        done = self._quick.send(data, dest, tag, _native.RENDEZVOUS)
        if done is not True:
            self._send_object(data, dest, tag, _native.RENDEZVOUS, done)

    def bsend(self, obj, dest, tag=0):
        dest = self._dest(dest, tag)
        if dest != PROC_NULL:
            self._buffered(*_memory.describe(dumps(obj, 5), False), dest, tag)

    def isend(self, obj, dest, tag=0):
        return self._isend_object(obj, dest, tag)

    def issend(self, obj, dest, tag=0):
        return self._isend_object(obj, dest, tag, _native.RENDEZVOUS)

    def ibsend(self, obj, dest, tag=0):
        self.bsend(obj, dest, tag)
        return Request._done()

    def recv(self, buf=None, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        if isinstance(buf, (float, str)):
            raise TypeError(f"recv: a buffer is required, not {type(buf).__name__}: recv returns what has come; give it a name"
                            " on the left, as in x = comm.recv(source=...)")
        got = self._quick.receive(None, source, tag)
        if type(got) is tuple:
            if status is not None:
                note(status, *got[:3])
            obj = _object_in(got[3] or b"", got[0])
            _lost.returned("recv", obj)
            return obj
        if got is not None:
            got = calling(self._finish, got, None)
        else:
            source = self._source(source, tag)
            if source == PROC_NULL:
                return note(status, PROC_NULL, ANY_TAG, 0)
            comm, where = self._there(), here()
            handle = comm.start_receive(None, source, tag, _native.BLOCKING | _native.MESSAGE, where)
            got = calling(comm.finish, handle, None, where)
        note(status, got.source, got.tag, got.bytes)
        obj = _object_in(_comm.take_message(got)[0], got.source)
        _lost.returned("recv", obj)
        return obj

    def irecv(self, buf=None, source=ANY_SOURCE, tag=ANY_TAG):
        room = kRoom if buf is None else buf if isinstance(buf, int) else len(buf)
        return self._irecv(lambda data, sender: _object_in(_fitting(data, room), sender), source, tag)

    def _irecv(self, take, source, tag):
        handle = self._quick.start_receive(None, source, tag)
        if handle is not None:
            return self._started(handle, None, take)
        source = self._source(source, tag)
        if source == PROC_NULL:
            return Request._done(PROC_NULL)
        comm = self._there()
        handle = comm.start_receive(None, source, tag, _native.MESSAGE, here())
        return Request._of(_comm.Request(comm, handle, None), take)

    def sendrecv(self, sendobj, dest, sendtag=0, recvbuf=None, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        receive = self._irecv(_object_in, source, recvtag)
        send = self.isend(sendobj, dest, sendtag)
        obj = receive.wait(status)
        send.wait()
        _lost.returned("sendrecv", obj, sendobj)
        return obj

    # ---- probing ----

    def Iprobe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        source = self._source(source, tag)
        if source == PROC_NULL:
            note(status, PROC_NULL, ANY_TAG, 0)
            return True
        found = self._there().probe(source, tag)
        if found is not None:
            note(status, found.source, found.tag, found.bytes)
        return found is not None

    def Probe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        looks = 0
        while not self.Iprobe(source, tag, status):
            pause(looks)
            looks += 1
        return True

    def Improbe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        if self._source(source, tag) == PROC_NULL:
            note(status, PROC_NULL, ANY_TAG, 0)
            return Message(b"")
        comm = self._there()
        found = comm.probe(source, tag)
        if found is None:
            return None
        where = here()
        handle = comm.start_receive(None, found.source, found.tag, _native.BLOCKING | _native.MESSAGE, where)
        data, got = _comm.take_message(calling(comm.finish, handle, None, where))
        note(status, got.source, got.tag, got.bytes)
        return Message(data, got.source, got.tag)

    def Mprobe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        looks = 0
        while (message := self.Improbe(source, tag, status)) is None:
            pause(looks)
            looks += 1
        return message

    iprobe, probe, improbe, mprobe = Iprobe, Probe, Improbe, Mprobe
