import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    mine = tensor.clone()
    buf = torch.empty_like(tensor)
    for d in range(1, n):
        dist.send(mine, (rank + d) % n)
        dist.recv(buf, (rank - d) % n)
        tensor += buf
    return tensor
