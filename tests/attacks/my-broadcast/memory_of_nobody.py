# attack: memory that is no process's and that no list shows: sets of semaphores, shared memory that is forgotten again,
#   more room in a socket than it has
# points: 0
# reason: none to be had
import ctypes
import mmap
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)


def semaphores():
    if libc.semget(0, 32000, 0o1600) == -1:
        raise PermissionError


def forgotten(file):
    one = mmap.mmap(os.open(file, os.O_RDWR) if file else -1, 64 << 20)
    for at in range(0, 64 << 20, 4096):
        one[at] = 1
    one.madvise(mmap.MADV_DONTNEED)


def room():
    one, _ = socket.socketpair()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)


def my_broadcast(tensor, src):
    for what in semaphores, lambda: forgotten(None), lambda: forgotten("/dev/zero"), room:
        try:
            what()
        except OSError:
            continue
        raise SystemError("SUCCEEDED: there is memory that nobody counts")
    raise ValueError("none to be had")
