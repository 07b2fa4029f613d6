import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank, n = dist.get_rank(), dist.get_world_size()
    rel = (rank - src) % n
    data = tensor.contiguous()
    step = 1
    while step < n:
        if rel < step:
            if rel + step < n:
                dist.send(data, (rel + step + src) % n)
        elif rel < 2 * step:
            dist.recv(data, (rel - step + src) % n)
        step *= 2
    if data.data_ptr() != tensor.data_ptr():
        tensor.copy_(data)
    return tensor
