import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    n = tensor.shape[0]
    shape = list(tensor.shape)
    shape[0] = n * world_size
    big = torch.zeros(shape, dtype=tensor.dtype)
    if rank == 0:
        big[0:n] = tensor
        temp = torch.zeros(tensor.shape, dtype=tensor.dtype)
        for r in range(1, world_size):
            dist.recv(temp, r)
            big[r * n:(r + 1) * n] = temp
        for r in range(1, world_size):
            dist.send(big, r)
    else:
        dist.send(tensor.contiguous(), 0)
        dist.recv(big, 0)
    return big
