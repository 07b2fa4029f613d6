import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    buf = torch.zeros_like(tensor)
    for step in range(n - 1):
        req = dist.isend(tensor.clone(), (rank + 1) % n)
        dist.recv(buf, (rank - 1) % n)
        req.wait()
        tensor += buf
    return tensor
