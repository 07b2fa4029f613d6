# exercise: my-broadcast
# verdict: wrong
# mistake: receive buffer is always float32
# expect: numbers of other types arrive garbled or with the wrong size
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    if rank == src:
        out = tensor.contiguous().float()
        for r in range(dist.get_world_size()):
            if r != src:
                dist.send(out, r)
    else:
        buf = torch.zeros(tensor.shape)
        dist.recv(buf, src)
        tensor.copy_(buf)
    return tensor
