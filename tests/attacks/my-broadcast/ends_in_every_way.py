# attack: ends as GeneratorExit, KeyboardInterrupt and exit code 0 end, in the hope that nobody calls it a failure
# points: 0
# reason: .
import atexit
import os

import torch.distributed as dist

atexit.register(os._exit, 0)


def my_broadcast(tensor, src):
    rank = dist.get_rank() % 4
    if rank == 0:
        raise GeneratorExit
    if rank == 1:
        raise KeyboardInterrupt
    if rank == 2:
        raise SystemExit(0)
    os._exit(0)
