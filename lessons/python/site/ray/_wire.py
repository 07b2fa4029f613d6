"""Messages between the driver and its workers: pickled tuples over a socket pair, with descriptors beside them."""

import pickle
import socket
import struct

_kHead = struct.Struct("!QI")  # bytes, descriptors
_kFds = 200  # the kernel takes 253 at once


class Closed(Exception):
    """The other side is gone."""


class Link:
    def __init__(self, sock):
        self.sock = sock

    @staticmethod
    def pair():
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        return Link(ours), Link(theirs)

    def fileno(self):
        return self.sock.fileno()

    def close(self):
        self.sock.close()

    def send(self, message, fds=()):
        """Sends a message and leaves the descriptors open."""
        try:
            while len(fds) > _kFds:  # a frame without a body says that more will come
                self._send_all(b"", fds[:_kFds])
                fds = fds[_kFds:]
            self._send_all(pickle.dumps(message, protocol=5), fds)
        except OSError as error:
            raise Closed(str(error)) from None

    def _send_all(self, body, fds):
        head = _kHead.pack(len(body), len(fds))
        sent = socket.send_fds(self.sock, [head], list(fds)) if fds else 0
        self.sock.sendall(head[sent:] + body)

    def receive(self):
        """(message, descriptors, which are the caller's now)."""
        fds = []
        while True:
            size, count = _kHead.unpack(self._take(_kHead.size, fds))
            if size or not count:
                break
        return pickle.loads(self._take(size)), fds

    def _take(self, size, fds=None):
        data = bytearray(size)
        view, at = memoryview(data), 0
        while at < size:
            try:
                if fds is None:
                    got = self.sock.recv_into(view[at:])
                else:
                    part, new, _, _ = socket.recv_fds(self.sock, size - at, _kFds)
                    fds.extend(new)
                    got = len(part)
                    view[at:at + got] = part
            except OSError as error:
                raise Closed(str(error)) from None
            if not got:
                raise Closed("the other side is gone")
            at += got
        return data
