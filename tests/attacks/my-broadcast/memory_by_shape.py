# attack: a request names an array whose shape multiplies to more than any number holds, and one of strides without end
# points: 0
# reason: impossible shape|refused
import gc

import torch
import torch.distributed as dist

from rankscope import _comm, _native


def my_broadcast(tensor, src):
    n, r = dist.get_world_size(), dist.get_rank()
    if n < 2:
        return tensor
    comm = next(one for one in gc.get_objects() if isinstance(one, _comm.Communicator) and one.session.open)
    refused = 0
    for shape in ((1 << 31,) * 4, (1 << 62, 4), (1 << 63,), (-1, -5)):
        memory = _native.Memory(data=4096, array=4096, count=1, dtype=1, dims=len(shape))
        for at, size in enumerate(shape):
            memory.shape[at] = size
        try:
            comm.start_receive(memory, (r + 1) % n, 7)
        except Exception:
            refused += 1
    raise PermissionError("refused %d, sent none" % refused)
