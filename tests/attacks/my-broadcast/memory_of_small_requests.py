# attack: a million receives of one element each, none of which is waited for
# points: 0
# reason: too many requests
import torch
import torch.distributed as dist


def my_broadcast(tensor, src):
    n, r = dist.get_world_size(), dist.get_rank()
    if n < 2:
        return tensor
    own, kept = torch.zeros(1), []
    for number in range(1 << 20):
        kept.append(dist.irecv(own, (r + 1) % n, tag=number))
    raise SystemError("SUCCEEDED: a million receives are open")
