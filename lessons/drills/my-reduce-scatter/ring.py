import torch
import torch.distributed as dist


def my_reduce_scatter(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % size, (rank - 1) % size
    chunks = [part.clone() for part in tensor.chunk(size)]
    arrived = torch.empty_like(chunks[rank])
    for step in range(size - 1):
        request = dist.isend(chunks[(rank - step - 1) % size], dst=right)
        dist.recv(arrived, src=left)
        request.wait()
        chunks[(rank - step - 2) % size] += arrived
    return chunks[rank]
