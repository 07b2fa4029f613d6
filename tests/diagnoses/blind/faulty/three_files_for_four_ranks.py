import torch
import torch.distributed as dist

FILES = ["a.csv", "b.csv", "c.csv"]
ROWS = {"a.csv": 10, "b.csv": 20, "c.csv": 30}

dist.init_process_group("gloo")
rank = dist.get_rank()
name = FILES[rank]
rows = torch.tensor([ROWS[name]])
dist.all_reduce(rows)
print("rank", rank, "of all rows:", rows.item())
