# attack: requests of a few bytes name arrays of hundreds of MiB that no rank has, so that the grader makes room for them;
#   then messages that nobody receives
# points: 0
# reason: too large|more than|too many
import gc

import torch
import torch.distributed as dist

from rankscope import _comm, _native


def my_broadcast(tensor, src):
    n, r = dist.get_world_size(), dist.get_rank()
    if n < 2:
        return tensor
    comm = next(one for one in gc.get_objects() if isinstance(one, _comm.Communicator) and one.session.open)
    kept = []
    for number in range(1, 64):
        memory = _native.Memory(data=number << 32, array=number << 32, count=1, dtype=1, dims=1)
        memory.shape[0] = (60 << 20) // 4 if r % 2 else 60 << 20
        kept.append(comm.start_receive(memory, (r + 1) % n, number))
        if r % 2 == 0:
            kept.append(dist.isend(torch.zeros(1 << 20), (r - 1) % n, tag=1000 + number))
    raise SystemError("SUCCEEDED: named 60 GiB")
