"""Rows of one tensor are sent and received while others are written: right; or the row itself is: a mistake."""
import sys

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
rows = torch.zeros(4, 8)
rows[0] = rank + 1
if rank == 0:
    request = dist.isend(rows[0], 1)
    rows[1] = 7
    dist.recv(rows[2], 1)
    if sys.argv[1] == "same":
        rows[0] = 9
    rows[3] = rows[1] + rows[2]
    dist.send(rows[3], 1)
    request.wait()
else:
    dist.send(rows[0], 0)
    got = torch.zeros(8)
    dist.recv(got, 0)
    dist.recv(got, 0)
dist.destroy_process_group()
