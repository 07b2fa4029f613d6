# exercise: my-broadcast
# verdict: right
# hangs: no
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    """Afterwards every rank's tensor holds what rank src held. Returns the tensor."""
    rank = dist.get_rank()
    world_size = dist.get_world_size()
    if rank == src:
        data = tensor.contiguous()
        for r in range(world_size):
            if r != src:
                dist.send(data, dst=r)
    else:
        buffer = torch.empty_like(tensor, memory_format=torch.contiguous_format)
        dist.recv(buffer, src=src)
        tensor.copy_(buffer)
    return tensor
