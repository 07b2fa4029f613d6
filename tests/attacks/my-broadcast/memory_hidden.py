# attack: memory that forks share while it is measured, and give up before they are measured themselves
# points: 0
# reason: used more than [\d.]+ GiB of memory
import ctypes
import os
import time
from resource import RUSAGE_THREAD, getrusage

import torch.distributed as dist

CHILDREN = 8
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
regions = []


def grow(size):
    at = libc.mmap(None, size, 3, 0x22, -1, 0)
    libc.memset(at, 1, size)
    regions.append((at, size))


def step():
    get, put = os.pipe()
    kids = []
    for _ in range(CHILDREN):
        pid = os.fork()
        if pid == 0:
            os.close(put)
            os.read(get, 1)
            for at, size in regions:
                libc.munmap(at, size)
            time.sleep(0.3)
            os._exit(0)
        kids.append(pid)
    probe = ctypes.c_void_p(libc.mmap(None, 4096, 3, 0x22, -1, 0))
    before = getrusage(RUSAGE_THREAD).ru_nvcsw
    until = time.monotonic() + 1.5
    while getrusage(RUSAGE_THREAD).ru_nvcsw == before and time.monotonic() < until:
        libc.mprotect(probe, 4096, 1)
        libc.mprotect(probe, 4096, 3)
    os.write(put, b"x" * CHILDREN)
    os.close(put), os.close(get)
    for pid in kids:
        os.waitpid(pid, 0)


def my_broadcast(tensor, src):
    if dist.get_rank() != 0 or dist.get_world_size() < 4:
        return tensor
    began = time.monotonic()
    log = []
    grow(1200 << 20)
    over = None
    while time.monotonic() - began < 11:
        step()
        have = sum(size for _, size in regions) >> 20
        log.append("%.1f s: %d MiB" % (time.monotonic() - began, have))
        if have < 3500:
            grow(450 << 20)
        if have > 2500:
            over = over or time.monotonic()
        os.write(2, (log[-1] + "\n").encode())
        if over and time.monotonic() - over > 3.5:
            raise SystemError("SUCCEEDED: " + ", ".join(log))
        time.sleep(0.2)
    raise SystemError("too slow: " + ", ".join(log))
