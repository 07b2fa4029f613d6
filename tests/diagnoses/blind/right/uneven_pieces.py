import torch
import torch.distributed as dist

SIZES = [5, 3, 1]
dist.init_process_group("gloo")
rank = dist.get_rank()
data = torch.arange(sum(SIZES), dtype=torch.float64)
if rank == 0:
    start = SIZES[0]
    mine = data[:start]
    for r in (1, 2):
        dist.send(data[start:start + SIZES[r]], r)
        start += SIZES[r]
else:
    mine = torch.empty(SIZES[rank], dtype=torch.float64)
    dist.recv(mine, 0)
print(rank, mine.tolist())
