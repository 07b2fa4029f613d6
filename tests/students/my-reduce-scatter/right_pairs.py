# exercise: my-reduce-scatter
# verdict: right
# hangs: no
import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    """Returns chunk `rank` of the sum over all ranks."""
    rank = dist.get_rank()
    world_size = dist.get_world_size()
    chunks = list(torch.chunk(tensor, world_size, dim=0))
    result = chunks[rank].clone().contiguous()
    temp = torch.zeros_like(result)
    for other in range(world_size):
        if rank < other:
            dist.send(chunks[other].contiguous(), other)
            dist.recv(temp, other)
            result += temp
        elif rank > other:
            dist.recv(temp, other)
            dist.send(chunks[other].contiguous(), other)
            result += temp
    return result
