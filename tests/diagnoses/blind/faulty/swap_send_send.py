import torch
import torch.distributed as dist

dist.init_process_group("gloo")
me = dist.get_rank()
other = 1 - me

mine = torch.arange(4, dtype=torch.float32) + 10 * me
theirs = torch.zeros(4)

print(f"[{me}] sending")
dist.send(mine, other)
print(f"[{me}] receiving")
dist.recv(theirs, other)
print(f"[{me}] mine={mine.tolist()} theirs={theirs.tolist()}")
