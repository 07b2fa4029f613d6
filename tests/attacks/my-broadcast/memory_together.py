# attack: eight ranks, each under the limit, but not together
# points: 0
# reason: used more than [\d.]+ GiB of memory
import time

import torch.distributed as dist


def my_broadcast(tensor, src):
    if dist.get_world_size() < 8:
        return tensor
    kept = bytearray(400 << 20)
    for at in range(0, len(kept), 4096):
        kept[at] = 1
    time.sleep(5)
    return tensor
