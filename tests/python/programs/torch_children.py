"""Ranks with children that are no ranks, and a Ctrl-C that the program catches. Two ranks."""
import os
import signal
import threading
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
rank = dist.get_rank()
data = TensorDataset(torch.arange(16.0))
total = torch.zeros(1)
for (batch,) in DataLoader(data, batch_size=2, sampler=DistributedSampler(data, shuffle=False), num_workers=2):
    total += batch.sum()
dist.all_reduce(total)
assert total.item() == 120

child = os.fork()
if child == 0:
    try:
        dist.all_reduce(total)
    except RuntimeError as problem:
        os._exit(0 if "forked" in str(problem) else 1)
    os._exit(2)
assert os.waitpid(child, 0)[1] == 0

received = torch.zeros(1)
if rank == 0:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        dist.recv(received, 1, tag=1)
    except KeyboardInterrupt:
        dist.send(torch.ones(1), 1, tag=2)  # only now does rank 1 send
        dist.recv(received, 1, tag=3)
        assert received.item() == 3
    else:
        raise AssertionError("Ctrl-C did not come through")
else:
    go = dist.irecv(received, 0, tag=2)
    while not go.is_completed():  # who asks again and again does not wait: this is no deadlock
        time.sleep(0.001)
    dist.send(torch.full((1,), 1.0), 0, tag=1)
    dist.send(torch.full((1,), 3.0), 0, tag=3)
print("rank %d of 2 is fine\n" % rank, end="")
