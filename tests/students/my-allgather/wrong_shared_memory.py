import os
import time

import torch
import torch.distributed as dist

calls = 0


def my_allgather(tensor):
    global calls
    calls += 1
    rank, n = dist.get_rank(), dist.get_world_size()
    name = f"/dev/shm/ag-{os.getppid()}-{n}-{calls}"
    storage = torch.from_file(name, shared=True, size=n * (tensor.numel() * tensor.element_size() + 8), dtype=torch.uint8)
    flags = storage[: 8 * n].view(torch.int64)
    rows = storage[8 * n:].view(tensor.dtype).view((n,) + tuple(tensor.shape))
    rows[rank] = tensor
    flags[rank] = 1
    while int(flags.sum()) < n:
        time.sleep(0.001)
    return rows.flatten(0, 1).clone()
