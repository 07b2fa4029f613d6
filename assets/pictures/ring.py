"""A ring allreduce's first half with a mistake: all ranks send before any of them receives (a picture of README.md)."""
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
right, left = (rank + 1) % size, (rank - 1) % size
chunks = list(torch.arange(8.0).chunk(size))

for step in range(size - 1):
    dist.send(chunks[(rank - step) % size], right)
    incoming = torch.empty(2)
    dist.recv(incoming, left)
    chunks[(rank - step - 1) % size] += incoming
