"""A course's layout: src/ with the student's functions, tests/ that spawn ranks; run by pytest under `rankscope exec`."""

import sys

import pytest
from programs import needs, rankscope, run, write

needs("torch")

kFunctions = """
import torch
import torch.distributed as dist

def my_broadcast(tensor, src=0):
    if dist.get_rank() == src:
        for other in range(dist.get_world_size()):
            if other != src:
                dist.send(tensor, other)
    else:
        dist.recv(tensor, src)
    return tensor

def my_allreduce(tensor):
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        got = torch.empty_like(tensor)
        for other in range(1, size):
            dist.recv(got, other)
            tensor += got
    else:
        dist.send(tensor, 0)
    return my_broadcast(tensor, 1 if size == 3 else 0)  # wrong for three ranks
"""

kHelper = """
import os
import torch.distributed as dist
import torch.multiprocessing as mp

def _rank(rank, function, size, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), WORLD_SIZE=str(size))
    dist.init_process_group("gloo", rank=rank, world_size=size)
    try:
        function(rank, size)
    finally:
        dist.destroy_process_group()

def on_ranks(function, size, port=29611):
    mp.spawn(_rank, args=(function, size, port), nprocs=size, join=True)
"""

kSuite = """
import pytest, torch
from src.collectives import my_allreduce, my_broadcast
from tests.helper import on_ranks

def check_broadcast(rank, size):
    assert my_broadcast(torch.tensor([float(rank + 1)]), src=1).item() == 2.0

def check_allreduce(rank, size):
    assert my_allreduce(torch.ones(2)).tolist() == [size, size]

def test_broadcast():
    on_ranks(check_broadcast, 2)

@pytest.mark.parametrize("size", [2, 3])
def test_allreduce(size):
    on_ranks(check_allreduce, size)
"""


def test_traces_are_named_by_tests_and_failures_name_theirs(tmp_path):
    for folder in ("src", "tests"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, "__init__.py", "")
    write(tmp_path / "src", "collectives.py", kFunctions)
    write(tmp_path / "tests", "helper.py", kHelper)
    write(tmp_path / "tests", "test_collectives.py", kSuite)
    code, out, err = run([rankscope(), "exec", "--no-findings", "--", sys.executable, "-m", "pytest", "-q", "-p",
                          "no:cacheprovider", "tests/test_collectives.py"], tmp_path)
    assert code == 1 and "1 failed, 2 passed" in out, out + err
    traces = sorted(path.name for path in tmp_path.glob("*.rankscope"))
    assert len(traces) == 3 and all("test_" in name for name in traces), traces
    summary = out[out.index("traces of failed tests"):]
    assert "test_allreduce[3]: " in summary and ".rankscope" in summary, out
    assert "test_broadcast" not in summary, out
