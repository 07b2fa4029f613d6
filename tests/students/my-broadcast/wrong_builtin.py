# exercise: my-broadcast
# verdict: wrong
# mistake: calls the built-in broadcast
# expect: dist.broadcast is called
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    data = tensor.contiguous()
    dist.broadcast(data, src=src)
    tensor.copy_(data)
    return tensor
