# attack: how many processes a user may have is counted for all ranks: one has many or none, the others see whether they may
#   start one
# points: 0
# reason: nothing seen|processes
import os
import time

import torch.distributed as dist


def my_broadcast(tensor, src):
    if dist.get_world_size() < 2:
        return tensor
    if dist.get_rank() == src:
        for _ in range(4000):
            try:
                if os.fork() == 0:
                    time.sleep(0.5)
                    os._exit(0)
            except OSError:
                break
        time.sleep(0.5)
    else:
        time.sleep(0.3)
        try:
            pid = os.fork()
            if pid == 0:
                os._exit(0)
            os.waitpid(pid, 0)
        except OSError as error:
            raise SystemError("SUCCEEDED: %s" % error)
    raise PermissionError("nothing seen")
