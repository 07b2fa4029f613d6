# attack: memory that many processes share while they are measured; then each writes to it, and none grows by a byte
# points: 0
# reason: used more than [\d.]+ GiB of memory
import ctypes
import os
import time

import torch.distributed as dist

PR_SET_THP_DISABLE = 41  # with huge pages, 512 times as much would be copied before anything shows


def my_broadcast(tensor, src):
    if dist.get_world_size() < 4:
        return tensor
    if ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, *[ctypes.c_ulong(0)] * 4) == 0:
        raise SystemError("SUCCEEDED: got huge pages back")
    kept = bytearray(b"x") * (100 << 20)
    for _ in range(9):
        if os.fork() == 0:
            time.sleep(1)
            for at in range(0, len(kept), 4096):
                kept[at] = 1
            time.sleep(30)
            os._exit(0)
    time.sleep(30)
    return tensor
