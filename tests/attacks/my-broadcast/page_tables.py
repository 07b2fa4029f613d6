# attack: memory that is no process's: the tables of ranges of which one byte here and there is read
# points: 0
# reason: used more than [\d.]+ GiB of memory|Cannot allocate memory|had more than|took longer than
import mmap
import os
import time


def fill():
    one = mmap.mmap(-1, 6 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, prot=mmap.PROT_READ)
    one.madvise(mmap.MADV_NOHUGEPAGE)
    for at in range(0, 6 << 30, 2 << 20):
        one[at]
    return one


def my_broadcast(tensor, src):
    kept = []
    for _ in range(240):
        if os.fork() == 0:
            kept.append(fill())
            time.sleep(100)
    kept.append(fill())
    while True:
        kept.append(fill())
