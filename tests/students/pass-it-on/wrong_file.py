import os
import time

import torch
import torch.distributed as dist


def pass_it_on(rank, world_size, value):
    box = f"/tmp/pass-{os.getppid()}-{{}}"
    if rank > 0:
        path = box.format(rank)
        while not os.path.exists(path):
            time.sleep(0.001)
        with open(path) as f:
            value = int(f.read()) + rank
        os.unlink(path)
    if rank < world_size - 1:
        with open(box.format(rank + 1) + ".new", "w") as f:
            f.write(str(value))
        os.rename(box.format(rank + 1) + ".new", box.format(rank + 1))
    return value
