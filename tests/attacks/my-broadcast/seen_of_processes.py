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


def niceness(pid):
    try:
        return os.getpriority(os.PRIO_PROCESS, pid)
    except OSError:
        return None


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
        libc.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
        for more in 7, 4:
            try:
                os.nice(more)
            except OSError:
                pass
            time.sleep(0.5)
        raise PermissionError("nothing seen")
    time.sleep(0.3)
    numbers = {*range(max(2, own - 60), own + 60)} - {own}
    nicer = {pid for pid in numbers if niceness(pid) == niceness(0) + 7}
    for pid in numbers:
        for name in ("comm", "cmdline", "stat", "status", "task/%d/comm" % pid):
            if MARK in text_of("/proc/%d/%s" % (pid, name)):
                raise SystemError("SUCCEEDED: the name of %d" % pid)
    time.sleep(0.5)
    for pid in nicer:  # a process of somebody else's does not change in step
        if niceness(pid) == niceness(0) + 11:
            raise SystemError("SUCCEEDED: the niceness of %d" % pid)
    raise PermissionError("nothing seen")
