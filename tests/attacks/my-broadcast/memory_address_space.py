# attack: reserves address space without end, in the hope that the kernel runs out of page tables
# points: 0
# reason: MemoryError|Cannot allocate memory
import mmap


def my_broadcast(tensor, src):
    kept = []
    for _ in range(1 << 20):
        kept.append(mmap.mmap(-1, 1 << 34, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000))  # MAP_NORESERVE
    raise SystemError("SUCCEEDED: reserved %d TiB" % (len(kept) >> 6))
