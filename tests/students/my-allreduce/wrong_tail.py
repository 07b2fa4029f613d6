import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    if n == 1:
        return tensor
    flat = tensor.view(-1)
    c = flat.numel() // n
    if c == 0:
        return tensor
    buf = torch.empty(c, dtype=tensor.dtype)
    parts = [flat[i * c:(i + 1) * c] for i in range(n)]
    for s in range(n - 1):
        req = dist.isend(parts[(rank - s) % n], (rank + 1) % n)
        dist.recv(buf, (rank - 1) % n)
        req.wait()
        parts[(rank - s - 1) % n] += buf
    for s in range(n - 1):
        req = dist.isend(parts[(rank - s + 1) % n], (rank + 1) % n)
        dist.recv(buf, (rank - 1) % n)
        req.wait()
        parts[(rank - s) % n].copy_(buf)
    return tensor
