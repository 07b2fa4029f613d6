"""Calls of Ray that cannot end are reported, with the driver's line; calls that may still end are left alone."""

import pytest
from programs import kRefused, python, under_exec

kNode = kRefused + """
import time
import ray
ray.init()

@ray.remote
class Node:
    def link(self, other):
        self.other = other
    def value(self):
        return 1
    def ask(self):
        return 1 + ray.get(self.other.value.remote())
    def hop(self, hops):
        return 0 if hops == 0 else 1 + ray.get(self.other.hop.remote(hops - 1))
    def slow(self, seconds):
        time.sleep(seconds)
        return 2
    def wait(self):
        ready, rest = ray.wait([self.other.value.remote()])
        return len(ready)

a, b = Node.remote(), Node.remote()
"""


@pytest.mark.parametrize("links, call", [
    ([("a", "a")], "a.ask.remote()"),
    ([("a", "b"), ("b", "a")], "a.hop.remote(2)"),
    ([("a", "a")], "a.wait.remote()"),
])
def test_actors_that_wait_for_each_other_are_reported(tmp_path, links, call):
    text = kNode + "".join(f"ray.get({one}.link.remote({other}))\n" for one, other in links)
    text += f"ray.get({call})  # here\n"
    code, _, err = python(tmp_path, text)
    assert code == 1, err
    assert "waits for ever" in err
    here = text.split("\n").index(f"ray.get({call})  # here") + 1
    assert f"line {here}, in <module>" in err
    assert "which comes after Node." in err


def test_calls_that_may_end_are_awaited(tmp_path):
    code, out, err = python(tmp_path, kNode + """
ray.get(a.link.remote(b))
assert ray.get(a.ask.remote()) == 2
slow = b.slow.remote(1.0)
assert ray.get([a.ask.remote(), slow]) == [2, 2]   # ask waits behind slow
try:
    ray.get(b.slow.remote(0.5), timeout=0.1)
except ray.exceptions.GetTimeoutError:
    print("late")
""")
    assert code == 0, err
    assert out == "late\n"


kRanks = kRefused + """
import numpy as np, ray
import ray.util.collective as col
ray.init()

@ray.remote
class Rank:
    def __init__(self, rank, size):
        col.init_collective_group(size, rank, "gloo", "g")
        self.x = np.full(4, rank + 1.0)
    def send(self, to):
        col.send(self.x, to, "g")
    def recv(self, source):
        col.recv(self.x, source, "g")
        return self.x[0]
    def sum(self):
        col.allreduce(self.x, "g")
        return self.x[0]
    def nothing(self):
        return True

ranks = [Rank.remote(r, 3) for r in range(3)]
ray.get([r.nothing.remote() for r in ranks])
"""


def test_ranks_that_get_another_call_are_left_alone(tmp_path):
    pytest.importorskip("numpy")
    code, out, err = under_exec(tmp_path, kRanks + """
import time
sent = ranks[0].send.remote(1)
time.sleep(1.0)                      # the driver does not wait yet
got = ranks[1].recv.remote(0)
assert ray.get(got) == 1.0
ray.get(sent)
for _ in range(3):
    assert ray.get([r.sum.remote() for r in ranks])
    ray.get(ranks[2].nothing.remote())
ranks[2].send.remote(0)              # nobody asks for its result
assert ray.get(ranks[0].recv.remote(2)) > 0
""", options=["--json"])
    assert code == 0, out + err
