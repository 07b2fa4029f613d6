import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    box = torch.zeros_like(tensor)
    for _ in range(size - 1):
        out = tensor.clone()
        req = dist.isend(out, left)
        dist.recv(box, right)
        req.wait()
        tensor += box
