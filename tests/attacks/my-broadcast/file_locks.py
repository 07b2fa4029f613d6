# attack: all boxes see the same read-only files: locks on them, leases, and notices of who opens them, as a wire
# points: 0
# reason: no lock to be had
import ctypes
import fcntl
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)


def my_broadcast(tensor, src):
    file = os.open(__file__, os.O_RDONLY)
    lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
    ways = {"flock": lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB),
            "fcntl": lambda: fcntl.fcntl(file, fcntl.F_SETLK, lock),
            "its own lock": lambda: fcntl.fcntl(file, 37, lock),  # F_OFD_SETLK
            "lease": lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
            "notice": lambda: fcntl.fcntl(os.open(os.path.dirname(__file__), os.O_RDONLY), fcntl.F_NOTIFY, 1)}
    for name, way in ways.items():
        try:
            way()
            raise SystemError("SUCCEEDED: " + name)
        except OSError:
            pass
    if libc.inotify_init1(0) >= 0 or libc.inotify_init() >= 0:
        raise SystemError("SUCCEEDED: inotify")
    raise PermissionError("no lock to be had")
