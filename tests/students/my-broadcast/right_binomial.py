# exercise: my-broadcast
# verdict: right
# hangs: no
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    n, me = dist.get_world_size(), dist.get_rank()
    v = (me - src) % n
    data = tensor.contiguous()
    mask = 1
    while mask < n:
        if v < mask:
            if v + mask < n:
                dist.send(data, (v + mask + src) % n)
        elif v < 2 * mask:
            dist.recv(data, (v - mask + src) % n)
        mask *= 2
    if data.data_ptr() != tensor.data_ptr():
        tensor.copy_(data)
    return tensor
