import io

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import _get_default_store

number = 0


def my_broadcast(tensor, src=0):
    global number
    number += 1
    store, key = _get_default_store(), f"bc{number}"
    if dist.get_rank() == src:
        f = io.BytesIO()
        torch.save(tensor.clone(), f)
        store.set(key, f.getvalue().hex())
    else:
        tensor.copy_(torch.load(io.BytesIO(bytes.fromhex(store.get(key).decode()))))
    return tensor
