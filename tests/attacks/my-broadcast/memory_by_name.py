# attack: a process whose name is a line of /proc/PID/status
# points: 0
# reason: used more than [\d.]+ GiB of memory
import os
import time

import torch.distributed as dist


def my_broadcast(tensor, src):
    if dist.get_rank() == 0:
        with open("/proc/%d/comm" % os.getpid(), "w") as name:
            name.write("RssAnon:")
        kept = []
        for _ in range(6):
            kept.append(bytearray(b"x") * (512 << 20))
        time.sleep(3)
        raise SystemError("SUCCEEDED: held 3 GiB for 3 s")
    return tensor
