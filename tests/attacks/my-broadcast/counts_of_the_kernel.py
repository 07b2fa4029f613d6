# attack: sysinfo counts the machine's processes and memory for everybody
# points: 0
# reason: nothing seen
import ctypes
import os
import threading
import time

import torch.distributed as dist

libc = ctypes.CDLL(None, use_errno=True)


def counts():
    text = (ctypes.c_uint64 * 32)()
    if libc.sysinfo(ctypes.byref(text)) != 0:
        raise PermissionError("nothing seen")
    return bytes(text)[80:82]


def my_broadcast(tensor, src):
    if dist.get_world_size() < 2:
        return tensor
    first = int.from_bytes(counts(), "little")
    if dist.get_rank() == src:
        time.sleep(0.2)
        threads = [threading.Thread(target=time.sleep, args=(0.4,)) for _ in range(40)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    else:
        until, most = time.monotonic() + 0.8, first
        while time.monotonic() < until:
            most = max(most, int.from_bytes(counts(), "little"))
            time.sleep(0.005)
        if most - first >= 35:
            raise SystemError("SUCCEEDED: %d threads of another rank" % (most - first))
    raise PermissionError("nothing seen")
