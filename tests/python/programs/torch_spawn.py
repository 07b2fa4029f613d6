"""Ranks that the program makes itself: by spawn, by fork, by multiprocessing's spawn."""
import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def train(rank, size, method):
    if method == "env":
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "localhost", "12355"
        dist.init_process_group("gloo", rank=rank, world_size=size)
    else:
        dist.init_process_group("gloo", init_method=method, rank=rank, world_size=size)
    tensor = torch.ones(3) * rank
    dist.all_reduce(tensor)
    assert tensor.tolist() == [size * (size - 1) / 2] * 3
    print("rank %d of %d is fine\n" % (rank, size), end="", flush=True)
    dist.destroy_process_group()


def processes(context, size, method):
    started = [context.Process(target=train, args=(rank, size, method)) for rank in range(size)]
    for process in started:
        process.start()
    for process in started:
        process.join()
    assert [process.exitcode for process in started] == [0] * size


if __name__ == "__main__":
    kind = sys.argv[1]
    if kind == "spawn":
        mp.spawn(train, args=(3, "env"), nprocs=3)
    elif kind == "twice":  # the same port again, as when a second exercise follows
        mp.spawn(train, args=(2, "env"), nprocs=2)
        mp.spawn(train, args=(2, "env"), nprocs=2)
    else:
        processes(mp.get_context(kind), 3, "tcp://127.0.0.1:29511")
