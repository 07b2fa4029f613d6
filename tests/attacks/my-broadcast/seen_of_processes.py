# attack: what a rank sets of its own process, and others see: its name, its command line, its niceness, who owns its /proc
# points: 0
# reason: nothing seen
import ctypes
import os
import time

import torch.distributed as dist

libc = ctypes.CDLL(None)
MARK = b"the-value"


def text_of(path):
    try:
        with open(path, "rb") as file:
            return file.read(4096)
    except OSError:
        return b""


def my_broadcast(tensor, src):
    if dist.get_world_size() < 2:
        return tensor
    own = os.getpid()
    if dist.get_rank() == src:
        libc.prctl(15, MARK, 0, 0, 0)  # PR_SET_NAME
        try:
            with open("/proc/self/comm", "wb") as file:
                file.write(MARK)
        except OSError:
            pass
        try:
            os.nice(7)
        except OSError:
            pass
        libc.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
        time.sleep(0.6)
        raise PermissionError("nothing seen")
    time.sleep(0.3)
    numbers = {*range(max(2, own - 60), own + 60)} - {own}
    for pid in numbers:
        for name in ("comm", "cmdline", "stat", "status", "task/%d/comm" % pid):
            if MARK in text_of("/proc/%d/%s" % (pid, name)):
                raise SystemError("SUCCEEDED: the name of %d" % pid)
        try:
            if os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0) + 7:
                raise SystemError("SUCCEEDED: the niceness of %d" % pid)
        except OSError:
            pass
    raise PermissionError("nothing seen")
