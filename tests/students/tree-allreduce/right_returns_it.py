import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> torch.Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    buffer = torch.zeros(tensor.shape, dtype=tensor.dtype)
    data = tensor.clone().contiguous()
    steps = []
    distance = 1
    while distance < size:
        steps.append(distance)
        distance = distance + distance
    for distance in steps:
        if rank % (distance * 2) == distance:
            dist.send(tensor=data, dst=rank - distance, tag=distance)
        if rank % (distance * 2) == 0:
            if rank + distance < size:
                dist.recv(tensor=buffer, src=rank + distance, tag=distance)
                data = data + buffer
    for distance in steps[::-1]:
        if rank % (distance * 2) == 0:
            if rank + distance < size:
                dist.send(tensor=data, dst=rank + distance, tag=distance)
        if rank % (distance * 2) == distance:
            dist.recv(tensor=buffer, src=rank - distance, tag=distance)
            data = buffer
    tensor[...] = data
    return tensor
