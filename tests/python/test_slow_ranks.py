"""A rank that computes while all others wait for it is no deadlock. RANKSCOPE_SLOW_SECONDS: for how long it computes."""
import json
import os
import shutil

import pytest
from programs import needs

SECONDS = os.environ.get("RANKSCOPE_SLOW_SECONDS", "3")

TORCH = """
import time
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
if rank == 1:
    ends = time.monotonic() + SECONDS
    while time.monotonic() < ends:
        sum(range(1000))
mine, theirs = torch.full((4,), float(rank)), torch.zeros(4)
sent = dist.isend(mine, (rank + 1) % size)
dist.recv(theirs, (rank - 1) % size)
sent.wait()
dist.all_reduce(mine)
print("rank %d has %g" % (rank, theirs[0]))
"""

CPP = """
#include <chrono>
#include <cstdio>
#include <vector>

#include <rankscope.hpp>

int main() {
  auto comm = rankscope::join();
  const int size = comm.size(), rank = comm.rank();
  const auto began = std::chrono::steady_clock::now();
  volatile double sum = 0;
  while (rank == 1 && std::chrono::steady_clock::now() - began < std::chrono::seconds(SECONDS)) sum = sum + 1;
  std::vector<float> mine(4, static_cast<float>(rank)), theirs(4);
  comm.sendrecv((rank + 1) % size, std::span<float>(mine), (rank + size - 1) % size, std::span<float>(theirs));
  std::printf("rank %d has %g\\n", rank, theirs[0]);
}
"""

# The first time only: a box keeps its /tmp from case to case.
EXERCISE = """
import os
import time
import torch.distributed as dist


def my_broadcast(tensor, src):
    rank, size = dist.get_rank(), dist.get_world_size()
    if size == 3 and rank == src == 0 and not os.path.exists("/tmp/was-slow"):
        open("/tmp/was-slow", "w").close()
        ends = time.monotonic() + SECONDS
        while time.monotonic() < ends:
            sum(range(1000))
    data = tensor.contiguous()
    if rank == src:
        for peer in range(size):
            if peer != src:
                dist.send(data, peer)
    else:
        dist.recv(data, src)
        tensor.copy_(data)
    return tensor
"""


@pytest.mark.parametrize("name, text", [("slow.py", TORCH), ("slow.cpp", CPP)], ids=["torch", "cpp"])
def test_under_exec(rankscope, tmp_path, name, text):
    if name.endswith(".py"):
        needs("torch")
    (tmp_path / name).write_text(text.replace("SECONDS", SECONDS))
    done = rankscope("exec", "-n", "3", name)
    assert done.code == 0, done.output
    assert done.lines() == ["rank 0 has 2", "rank 1 has 0", "rank 2 has 1"]
    assert "wait for each other" not in done.output and "deadlock" not in done.output, done.output


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="no boxes without bubblewrap")
def test_in_an_exercise(rankscope, tmp_path):
    needs("torch")
    (tmp_path / "my_broadcast.py").write_text(EXERCISE.replace("SECONDS", SECONDS))
    done = rankscope("--json", "exercise", "my-broadcast", "my_broadcast.py", "--timeout", "60")
    grade = json.loads(done.output)
    assert grade["points"] == grade["most"], done.output
