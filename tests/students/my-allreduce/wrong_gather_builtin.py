import torch
import torch.distributed as dist


def my_allreduce(tensor):
    if tensor.numel() == 0:
        return tensor
    parts = [torch.zeros_like(tensor, dtype=torch.float64) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, tensor.double())
    tensor.copy_(sum(parts))
    return tensor
