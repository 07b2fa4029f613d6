import os
import time

import torch
import torch.distributed as dist

turn = 0


def my_allreduce(tensor):
    global turn
    rank, n = dist.get_rank(), dist.get_world_size()
    turn += 1
    base = f"/tmp/sum-{os.getppid()}-{n}-{turn}-"
    torch.save(tensor.clone(), base + f"{rank}.part")
    os.rename(base + f"{rank}.part", base + f"{rank}.pt")
    total = torch.zeros_like(tensor)
    for r in range(n):
        while not os.path.exists(base + f"{r}.pt"):
            time.sleep(0.002)
        total += torch.load(base + f"{r}.pt")
    tensor.copy_(total)
    return tensor
