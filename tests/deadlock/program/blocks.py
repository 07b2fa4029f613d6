"""A ring in which everybody receives first; the last rank comes late, and says when it blocked and when the error came."""
import os
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
tensor = torch.zeros(4)
if rank == size - 1:
    time.sleep(0.5)
began = time.monotonic()
try:
    dist.recv(tensor, (rank - 1) % size)
finally:
    if rank == size - 1:
        with open(os.environ["BLOCKED_FILE"], "w", encoding="utf-8") as file:
            file.write("%.6f %.6f" % (began, time.monotonic()))
