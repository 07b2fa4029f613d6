import os
import torch
import torch.distributed as dist
from torch.multiprocessing import Process

def run(rank, size):
    t = torch.tensor([rank])
    for _ in range(size):
        got = torch.zeros_like(t)
        req = dist.isend(t, (rank + 1) % size)
        dist.recv(got, (rank - 1) % size)
        req.wait()
        t = got
    print("rank", rank, "ends with", t.item())

def init(rank, size):
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", "29657"
    dist.init_process_group("gloo", rank=rank, world_size=size)
    run(rank, size)

if __name__ == "__main__":
    ps = [Process(target=init, args=(r, 3)) for r in range(3)]
    [p.start() for p in ps]
    [p.join() for p in ps]
