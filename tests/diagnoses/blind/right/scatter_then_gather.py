import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
root = rank == 0
piece = torch.zeros(2)
dist.scatter(piece, list(torch.arange(8.0).chunk(size)) if root else None, src=0)
piece = piece ** 2
out = [torch.zeros(2) for _ in range(size)] if root else None
dist.gather(piece, out, dst=0)
if root:
    print(torch.cat(out).tolist())
