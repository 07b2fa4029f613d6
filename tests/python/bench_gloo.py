#!/usr/bin/python3
"""Python programs on rankscope beside the same on torch's gloo: 8 ranks, 32 MiB, turn by turn.

    RANKSCOPE_BINARY=build/bin/rankscope tests/python/bench_gloo.py [--ranks N] [--mib M] [--rounds R] [--turns T]

Prints the median of all rounds in milliseconds (of the slowest rank) and the ratio; nothing is asserted. One turn is a
process group of its own on each side. `numpy` uses the native interface on rankscope and torch on gloo.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

CASES = ["all_reduce", "ring", "numpy_all_reduce", "numpy_ring", "ping_pong"]


def timed(step, rounds, barrier):
    times = []
    for at in range(rounds + 2):
        barrier()
        begin = time.perf_counter()
        step()
        if at >= 2:
            times.append(time.perf_counter() - begin)
    return times


def ring(rank, size, chunks, buffers, isend, recv):
    right, left = (rank + 1) % size, (rank - 1) % size
    for step in range(2 * size - 2):
        out, into = (rank - step) % size, (rank - step - 1) % size
        request = isend(chunks[out], right)
        target = buffers[into] if step < size - 1 else chunks[into]
        recv(target, left)
        request.wait()
        if step < size - 1:
            chunks[into] += target


def torch_case(case, elements, rounds):
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    tensor = torch.ones(elements, dtype=torch.float32)
    chunks = list(tensor.chunk(size))
    buffers = [torch.empty_like(one) for one in chunks]

    def all_reduce():
        dist.all_reduce(tensor)

    def ping_pong():
        if rank == 0:
            dist.send(tensor, 1)
            dist.recv(tensor, 1)
        elif rank == 1:
            dist.recv(tensor, 0)
            dist.send(tensor, 0)

    steps = {"all_reduce": all_reduce, "ping_pong": ping_pong,
             "ring": lambda: ring(rank, size, chunks, buffers, dist.isend, dist.recv)}
    times = timed(steps[case], rounds, dist.barrier)
    gathered = [None] * size
    dist.all_gather_object(gathered, times)
    dist.destroy_process_group()
    return rank, gathered


def numpy_case(case, elements, rounds):
    import numpy
    import rankscope
    world = rankscope.join()
    rank, size = world.rank, world.size
    array = numpy.ones(elements, dtype=numpy.float32)
    chunks = numpy.array_split(array, size)
    buffers = [numpy.empty_like(one) for one in chunks]

    steps = {"all_reduce": lambda: world.allreduce(array),
             "ring": lambda: ring(rank, size, chunks, buffers, world.isend, world.recv)}
    times = timed(steps[case], rounds, world.barrier)
    mine = numpy.array(times)
    every = numpy.zeros((size, len(times)))
    every[rank] = mine
    world.allreduce(every)
    return rank, every.tolist()


def one_rank(case, elements, rounds, side):
    if case.startswith("numpy_"):
        case = case[len("numpy_"):]
        rank, gathered = (numpy_case if side == "rankscope" else torch_case)(case, elements, rounds)
    else:
        rank, gathered = torch_case(case, elements, rounds)
    if rank == 0:
        print("TIMES " + json.dumps([max(each) for each in zip(*gathered)]), flush=True)


def run(side, case, options):
    ranks = 2 if case == "ping_pong" else options.ranks
    program = ["/usr/bin/python3", os.path.abspath(__file__), "--rank-of", case, "--side", side,
               "--mib", str(options.mib), "--rounds", str(options.rounds)]
    base = dict(os.environ, OMP_NUM_THREADS="1")
    if side == "rankscope":
        binary = os.environ.get("RANKSCOPE_BINARY", "rankscope")
        done = [subprocess.run([binary, "exec", "-n", str(ranks), "--"] + program, env=base, capture_output=True,
                               text=True, timeout=300)]
    else:
        port = str(20000 + os.getpid() % 20000)
        started = [subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                    env=dict(base, RANK=str(rank), WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1",
                                             MASTER_PORT=port, LOCAL_RANK=str(rank))) for rank in range(ranks)]
        done = [subprocess.CompletedProcess(one.args, one.wait(), *one.communicate(timeout=300)) for one in started]
    for one in done:
        for line in one.stdout.splitlines():
            if line.startswith("TIMES "):
                return json.loads(line[6:])
    raise SystemExit("%s %s gave no times:\n%s" % (side, case, "\n".join(one.stderr[-800:] for one in done)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="of: " + " ".join(CASES))
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--mib", type=float, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--rank-of", help=argparse.SUPPRESS)
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    elements = int(options.mib * (1 << 20)) // 4
    if options.rank_of:
        return one_rank(options.rank_of, elements, options.rounds, options.side)
    for case in options.cases or CASES:
        times = {"rankscope": [], "gloo": []}
        for turn in range(options.turns):
            for side in ("rankscope", "gloo") if turn % 2 == 0 else ("gloo", "rankscope"):
                times[side] += run(side, case, options)
        ours, theirs = (statistics.median(times[side]) * 1e3 for side in ("rankscope", "gloo"))
        print("%-18s rankscope %7.1f ms   gloo %7.1f ms   gloo/rankscope %.2f" % (case, ours, theirs, theirs / ours),
              flush=True)


if __name__ == "__main__":
    sys.exit(main())
