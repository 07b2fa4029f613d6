import torch
import torch.distributed as dist


def ring_allreduce(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    chunks = list(tensor.chunk(size))
    buffer = torch.zeros_like(chunks[0])
    for phase in range(2):
        for step in range(size - 1):
            c = (rank - 1 - phase + step) % size
            request = dist.isend(chunks[c], left)
            dist.recv(buffer, right)
            request.wait()
            if phase == 0:
                chunks[(c + 1) % size] += buffer
            else:
                chunks[(c + 1) % size].copy_(buffer)
