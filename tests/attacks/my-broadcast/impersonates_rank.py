# attack: joins once more as rank 0, as a rank of another world, and sends under other ranks' names
# points: 0
# reason: refused as another rank
import torch.distributed as dist

import rankscope
from rankscope import _native
import ctypes


def my_broadcast(tensor, src):
    n, refused = dist.get_world_size(), 0
    tries = [(rank, n) for rank in range(n) if rank != dist.get_rank()] + [(0, n + 1), (n, n), (9, 16)]
    for rank, size in tries:
        options = _native.JoinOptions(rank=rank, size=size, key=None, platform=b"torch", program=b"me")
        handle = ctypes.c_void_p()
        if _native.library().rs_join(ctypes.byref(options), ctypes.byref(handle)) >= 0:
            raise SystemError("SUCCEEDED: is rank %d of %d" % (rank, size))
        refused += 1
    raise PermissionError("refused as another rank, %d times" % refused)
