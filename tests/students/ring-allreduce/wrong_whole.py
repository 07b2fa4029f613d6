import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    travelling = tensor.clone()
    for _ in range(size - 1):
        box = torch.empty_like(travelling)
        req = dist.isend(travelling, left)
        dist.recv(box, right)
        req.wait()
        tensor += box
        travelling = box
