import torch
import torch.distributed as dist

dist.init_process_group(backend='gloo')
rank = dist.get_rank()
world_size = dist.get_world_size()

token = torch.tensor([0])
prev_rank = (rank - 1 + world_size) % world_size
next_rank = (rank + 1) % world_size

dist.recv(token, src=prev_rank)
token += 1
dist.send(token, dst=next_rank)
if rank == 0:
    print("token came back:", token.item())
