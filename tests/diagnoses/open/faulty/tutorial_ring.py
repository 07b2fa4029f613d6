import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world_size = dist.get_rank(), dist.get_world_size()
tensor = torch.tensor([rank + 1.0])
right, left = (rank + 1) % world_size, (rank - 1) % world_size
moving = tensor.clone()
for step in range(world_size - 1):
    received = torch.zeros_like(tensor)
    req = dist.isend(tensor.clone(), right)
    dist.recv(received, left)
    req.wait()
    tensor += received
print(f"Rank {rank} has {tensor.item()}")
