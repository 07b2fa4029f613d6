# exercise: my-broadcast
# verdict: wrong
# mistake: calls the built-in broadcast by getattr with a composed name
# expect: dist.broadcast is called, hidden by getattr
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def _lib(*parts):
    return getattr(dist, "".join(parts))


def my_broadcast(tensor, src=0):
    data = tensor.contiguous()
    _lib("broad", "cast")(data, src)
    if data is not tensor:
        tensor.copy_(data)
    return tensor
