# attack: descriptors that are under way are limited for all of a user's processes: one rank fills the limit, the others
#   see that they cannot send any
# points: 0
# reason: nothing seen
import array
import os
import socket
import time

import torch.distributed as dist


def passes(pair, count):
    one = os.open("/dev/null", os.O_RDONLY)
    try:
        pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [one] * count))])
        return True
    except OSError as error:
        return error.errno != 109  # ETOOMANYREFS
    finally:
        os.close(one)


def my_broadcast(tensor, src):
    if dist.get_world_size() < 2:
        return tensor
    pairs = [socket.socketpair() for _ in range(16)]
    if dist.get_rank() == src:
        for pair in pairs:
            for _ in range(4):
                passes(pair, 100)
        time.sleep(0.4)
    else:
        time.sleep(0.2)
        if not passes(pairs[0], 1):
            raise SystemError("SUCCEEDED: another rank's descriptors are under way")
    raise PermissionError("nothing seen")
