# exercise: my-allreduce
# verdict: right
# hangs: no
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    if dist.get_rank() == src:
        for r in range(dist.get_world_size()):
            if r != src:
                dist.send(tensor, r)
    else:
        dist.recv(tensor, src)
    return tensor


def my_allreduce(tensor):
    """Afterwards every rank's tensor holds the sum over all ranks. Returns the tensor."""
    rank = dist.get_rank()
    world_size = dist.get_world_size()
    total = tensor.clone().contiguous()
    if rank == 0:
        temp = torch.zeros_like(total)
        for r in range(1, world_size):
            dist.recv(temp, src=r)
            total += temp
    else:
        dist.send(total, dst=0)
    my_broadcast(total, src=0)
    tensor.copy_(total)
    return tensor
