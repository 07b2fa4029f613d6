# attack: signals to process groups, sessions, threads and owners of descriptors that other ranks may have
# points: 0
# reason: nothing seen
import ctypes
import fcntl
import os
import signal
import socket
import time

import torch.distributed as dist

libc = ctypes.CDLL(None, use_errno=True)
SEEN = []


def my_broadcast(tensor, src):
    if dist.get_world_size() < 2:
        return tensor
    signal.signal(signal.SIGUSR1, lambda *_: SEEN.append(1))
    signal.signal(signal.SIGIO, lambda *_: SEEN.append(2))
    if dist.get_rank() == src:
        time.sleep(0.2)
        for pid in [*range(2, 200)]:
            if pid in (os.getpid(), os.getppid()):
                continue
            for call in (lambda: os.kill(pid, signal.SIGUSR1), lambda: os.killpg(pid, signal.SIGUSR1),
                         lambda: libc.syscall(200, pid, signal.SIGUSR1)):
                try:
                    call()
                except OSError:
                    pass
            pair = socket.socketpair()
            try:
                fcntl.fcntl(pair[0], fcntl.F_SETOWN, pid)
                fcntl.fcntl(pair[0], fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
                pair[1].send(b"x")
            except OSError:
                pass
    else:
        time.sleep(0.6)
        if SEEN:
            raise SystemError("SUCCEEDED: %r came from another rank" % SEEN)
    raise PermissionError("nothing seen")
