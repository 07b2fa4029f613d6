"""The half that has the data hands it to the first of the other half."""
import torch
import torch.distributed as dist


def spread(ring, me, data):
    if len(ring) < 2:
        return
    middle = (len(ring) + 1) // 2
    near, far = ring[:middle], ring[middle:]
    if me == near[0]:
        dist.send(data, far[0])
    elif me == far[0]:
        dist.recv(data, near[0])
    spread(near if me in near else far, me, data)


def my_broadcast(tensor, src):
    n = dist.get_world_size()
    ring = [(src + k) % n for k in range(n)]
    flat = tensor.reshape(-1).contiguous() if tensor.is_contiguous() else tensor.contiguous().reshape(-1)
    spread(ring, dist.get_rank(), flat)
    if flat.data_ptr() != tensor.data_ptr():
        tensor.copy_(flat.view(tensor.shape))
    return tensor
