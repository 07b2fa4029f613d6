# attack: memory of a process whose first thread has ended: its /proc/PID/status has no sizes
# points: 0
# reason: used more than [\d.]+ GiB of memory
import ctypes
import os
import threading
import time

import torch.distributed as dist


def hold(told):
    time.sleep(0.2)
    kept = [bytearray(b"x") * (512 << 20) for _ in range(6)]
    time.sleep(3)
    os.write(told, b"SUCCEEDED: held %d GiB for 3 s" % (len(kept) // 2))
    os._exit(0)


def my_broadcast(tensor, src):
    if dist.get_rank() == 0 and dist.get_world_size() >= 4:
        tell, told = os.pipe()
        if os.fork() == 0:
            threading.Thread(target=hold, args=(told,)).start()
            ctypes.CDLL(None).syscall(60, 0)
        os.close(told)
        raise SystemError(os.read(tell, 100).decode())
    return tensor
