"""Calls of Ray that cannot end are reported, with the driver's line; calls that may still end are left alone."""

import json

import pytest
from programs import kRefused, needs, python, rankscope, run, under_exec

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


def line_of(text, words):
    return next(number for number, line in enumerate(text.split("\n"), 1) if words in line)


def found_in(folder, text, **options):
    """The finding of exec in a program that ends before its time is over, and that of check in its trace."""
    code, out, err = under_exec(folder, text, options=["--json", "--timeout", "100", "-o", "t.rankscope"], **options)
    assert code == 1, out + err
    said = json.loads(out[out.index("{\n"):])["runs"][0]
    code, out, _ = run([rankscope(), "check", "--json", "t.rankscope"], folder)
    assert code == 1 and json.loads(out)["findings"] == said["findings"]
    assert said["status"] == "deadlock", (said, err)
    return said["findings"], err


@pytest.mark.parametrize("call, waits, idle", [
    ("ray.get(ranks[0].send.remote(1))", "col.send", 1),
    ("ray.get([r.sum.remote() for r in ranks[1:]])", "col.allreduce", 0),
    ("[ray.get(r.sum.remote()) for r in ranks]", "col.allreduce", 1),
])
def test_a_driver_that_waits_for_ranks_that_are_never_called(tmp_path, call, waits, idle):
    needs("numpy")
    text = kRanks + call + "\n"
    findings, err = found_in(tmp_path, text)
    assert [one["kind"] for one in findings] == ["call that never comes"], findings
    what, driver = findings[0]["what"], len(text.splitlines())
    assert f"program.py:{line_of(text, waits)}" in what
    assert f"rank {idle} waits for its next call, and the driver waits for another one at program.py:{driver}" in what
    assert f"line {driver}, in <module>" in err
    assert "_hub.py" not in err  # ours is not theirs


def test_a_wrong_source_is_reported_though_its_rank_is_idle(tmp_path):
    needs("numpy")
    text = kRanks + "ray.get([ranks[0].send.remote(2), ranks[2].recv.remote(1)])\n"
    findings, _ = found_in(tmp_path, text)
    assert findings[0]["site"] == f"program.py:{line_of(text, 'col.recv')}"
    assert "Receive from rank 0" in findings[0]["advice"]


def test_an_actor_that_waits_for_a_call_which_waits_for_it(tmp_path):
    needs("numpy")
    text = kRanks.replace("    def nothing", """    def ask(self, other):
        ray.get(other.send.remote(0))  # asks
        col.recv(self.x, 1, "g")
    def nothing""") + "ray.get(ranks[0].ask.remote(ranks[1]))\n"
    findings, _ = found_in(tmp_path, text)
    assert f"rank 0 waits in ray.get at program.py:{line_of(text, '# asks')} for another" in findings[0]["what"]
    assert f"program.py:{line_of(text, 'col.send')}" in findings[0]["what"]


def test_a_group_that_is_never_whole_is_reported(tmp_path):
    needs("numpy")
    text = kRanks.replace("for r in range(3)]\nray", "for r in range(2)]\nray")
    code, _, err = under_exec(tmp_path, text)
    assert code == 1
    assert f"joins the group 'g' at program.py:{line_of(text, 'init_collective_group')} as rank 0 of 3" in err
    assert "of its ranks 2 nobody comes" in err


def test_ranks_are_not_blamed_for_a_driver_that_fails(tmp_path):
    needs("numpy")
    text = kRanks + """
waits = ranks[0].recv.remote(1)
ray.wait([waits], timeout=0.2)
raise KeyError("of the driver")
"""
    code, out, err = under_exec(tmp_path, text, options=["--json"])
    assert code == 1 and "KeyError" in err
    said = json.loads(out[out.index("{\n"):])["runs"][0]
    assert (said["status"], said["message"]) == ("interrupted", "the driver failed while this rank was in a call")
    assert [one["kind"] for one in said["findings"]] == ["not ended"]
    assert said["findings"][0]["site"] == f"program.py:{line_of(text, 'col.recv')}"


def test_ranks_that_get_another_call_are_left_alone(tmp_path):
    needs("numpy")
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


def test_a_rank_that_computes_at_the_end_of_the_driver_leaves_with_the_others(tmp_path):
    needs("numpy")
    text = kRanks.replace("    def nothing", "    def compute(self):\n        import time\n        time.sleep(30)\n"
                          "    def nothing")
    code, out, err = under_exec(tmp_path, text + """
assert ray.get([r.sum.remote() for r in ranks]) == [6.0, 6.0, 6.0]
ranks[2].compute.remote()
import time
time.sleep(0.5)
""", options=["--json"])
    assert code == 0, out + err
    assert json.loads(out[out.index("{\n"):])["runs"][0]["findings"] == []


def test_explore_follows_actors_and_a_driver_that_waits(tmp_path):
    program = kRanks + "ray.get(ranks[0].send.remote(1))\nprint(ray.get(ranks[1].recv.remote(0)))\n"
    code, out, err = under_exec(tmp_path, program, options=["--replay", "0:"])
    assert code == 1 and "Fails: " in out and "waits for its next call, and the driver waits" in out, out + err
