import torch
import torch.distributed as dist

OPS = {name: getattr(dist, name) for name in dir(dist) if name.endswith("_object") and name.startswith("all")}


def my_allgather(tensor):
    parts = [None] * dist.get_world_size()
    OPS["all_gather_object"](parts, tensor.clone())
    return torch.cat(parts)
