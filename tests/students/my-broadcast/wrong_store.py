# exercise: my-broadcast
# verdict: wrong
# mistake: sends the data through the group's key-value store
# expect: no messages: the data go through the store
# hangs: no
# worlds: 2,3,4,5,8
# values: right
# note: no point-to-point call at all
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
