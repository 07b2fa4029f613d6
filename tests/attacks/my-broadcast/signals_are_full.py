# attack: signals that may wait are limited for all of a user's processes: one rank fills the limit, the others see that
#   they cannot queue any, nor make a timer
# points: 0
# reason: nothing seen
import ctypes
import os
import signal
import time

import torch.distributed as dist

SENT = signal.SIGRTMIN + 2
libc = ctypes.CDLL(None, use_errno=True)


def my_broadcast(tensor, src):
    if dist.get_world_size() < 2:
        return tensor
    signal.pthread_sigmask(signal.SIG_BLOCK, {SENT})
    timer = ctypes.c_void_p()
    if dist.get_rank() == src:
        for _ in range(1 << 18):
            if libc.sigqueue(os.getpid(), SENT, None) != 0:
                break
        time.sleep(0.4)
    else:
        time.sleep(0.25)
        if libc.sigqueue(os.getpid(), SENT, None) != 0 and ctypes.get_errno() == 11:
            raise SystemError("SUCCEEDED: the queue of signals is full")
        if libc.timer_create(1, None, ctypes.byref(timer)) != 0 and ctypes.get_errno() == 11:
            raise SystemError("SUCCEEDED: no timer is left")
    raise PermissionError("nothing seen")
