"""rankscope's stand-in for Ray: actors, tasks, objects, errors. What is expected here was seen with Ray 2.60."""

import os
import signal
import subprocess
import sys
import time

import pytest
from programs import environment, kRefused, needs, processes_with, python, under_exec, write

kCounter = kRefused + """
import os, sys, time
import ray
ray.init()

@ray.remote
class Counter:
    def __init__(self, start=0):
        self.value = start
        self.seen = []
    def add(self, n):
        self.value += n
        return self.value
    def note(self, n):
        self.seen.append(n)
    def notes(self):
        return self.seen
    def fail(self):
        raise ValueError("wrong " + str(self.value))
    def die(self):
        os._exit(7)
    def sleep(self, seconds):
        time.sleep(seconds)
        return seconds
    def ask(self, other, n):
        return ray.get(other.add.remote(n))
    def pid(self):
        return os.getpid()
"""


def passes(folder, text, **options):
    code, out, err = python(folder, kCounter + text, **options)
    assert code == 0, err
    return out


def test_methods_keep_state_and_run_in_order(tmp_path):
    passes(tmp_path, """
a, b = Counter.remote(10), Counter.remote(start=20)
assert ray.get([a.add.remote(1), b.add.remote(1), a.add.remote(1)]) == [11, 21, 12]
for i in range(200):
    a.note.remote(i)
assert ray.get(a.notes.remote()) == list(range(200))
assert ray.get(a.pid.remote()) != os.getpid()
""")


def test_errors_surface_at_get_as_their_own_type(tmp_path):
    passes(tmp_path, """
a = Counter.remote(3)
ref = a.fail.remote()
try:
    ray.get(ref)
    raise AssertionError("no error")
except ValueError as error:
    assert isinstance(error, ray.exceptions.RayTaskError)
    assert isinstance(error.cause, ValueError)
    text = str(error)
assert "Counter.fail()" in text and "program.py" in text and "in fail" in text and "wrong 3" in text, text
assert "_worker.py" not in text, text
assert ray.get(a.add.remote(1)) == 4  # the actor lives on
""")


def test_an_error_is_told_although_another_call_never_ends(tmp_path):
    passes(tmp_path, """
a, b = Counter.remote(), Counter.remote()
with refused(ValueError):
    ray.get([a.sleep.remote(1000), b.fail.remote()])
""")


def test_a_dead_actor_and_one_that_could_not_begin(tmp_path):
    passes(tmp_path, """
a = Counter.remote()
for _ in range(2):
    with refused(ray.exceptions.RayActorError, "exit code 7"):
        ray.get(a.die.remote())

@ray.remote
class Broken:
    def __init__(self):
        raise RuntimeError("cannot begin")
    def f(self):
        pass
broken = Broken.remote()
with refused(ray.exceptions.RayActorError, "cannot begin"):
    ray.get(broken.f.remote())

b = Counter.remote()
ray.get(b.add.remote(1))
ray.kill(b)
with refused(ray.exceptions.RayActorError, "ray.kill"):
    ray.get(b.add.remote(1))
""")


def test_killed_actors_are_gone_soon(tmp_path):
    passes(tmp_path, """
idle, busy = Counter.remote(), Counter.remote()
pids = ray.get([idle.pid.remote(), busy.pid.remote()])
slept = busy.sleep.remote(1000)
ray.kill(idle)
ray.kill(busy)
with refused(ray.exceptions.RayActorError, "ray.kill"):
    ray.get(slept)
deadline = time.monotonic() + 20
while any(os.path.exists(f"/proc/{pid}") for pid in pids) and time.monotonic() < deadline:
    time.sleep(0.01)
assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)
""")


def test_timeouts_and_wait(tmp_path):
    passes(tmp_path, """
a, b = Counter.remote(), Counter.remote()
slow, fast = a.sleep.remote(30), b.add.remote(1)
with refused(ray.exceptions.GetTimeoutError):
    ray.get(slow, timeout=0.1)
assert ray.wait([slow, fast]) == ([fast], [slow])
assert ray.wait([slow, fast], num_returns=2, timeout=0.1) == ([fast], [slow])
""")


def test_handles_and_references_go_to_other_actors(tmp_path):
    passes(tmp_path, """
a, b = Counter.remote(1), Counter.remote(2)
assert ray.get(a.ask.remote(b, 5)) == 7
ref = ray.put(100)
assert ray.get(b.add.remote(ref)) == 107           # its value
assert ray.get(b.add.remote(b.add.remote(ref))) == 107 + 100 + 207

@ray.remote
class Kind:
    def of(self, things):
        return type(things[0]).__name__, ray.get(things[0])
assert ray.get(Kind.remote().of.remote([ref])) == ("ObjectRef", 100)  # nested ones stay references
named = Counter.options(name="bob").remote(4)
assert ray.get(ray.get_actor("bob").add.remote(1)) == 5
with refused(ValueError):
    ray.get_actor("nobody")
""")


def test_tasks_and_functions_without_a_name(tmp_path):
    passes(tmp_path, """
@ray.remote
def square(x):
    return x * x

@ray.remote(num_returns=2)
def two():
    return 1, 2

@ray.remote
def apply(function, x):
    return function(x)

assert ray.get([square.remote(i) for i in range(50)]) == [i * i for i in range(50)]
assert ray.get(square.remote(square.remote(3))) == 81
first, second = two.remote()
assert ray.get([second, first]) == [2, 1]
offset = 7
def make():
    def recursive(n):
        return 0 if n == 0 else offset + recursive(n - 1)
    return recursive
assert ray.get(apply.remote(make(), 3)) == 21
assert ray.get(apply.remote(lambda x: x + offset, 3)) == 10
""")


def test_mistakes_are_told_at_the_call(tmp_path):
    passes(tmp_path, """
a = Counter.remote()
def told(kind, text, call):
    with refused(kind, text):
        call()
told(TypeError, "Counter.remote()", lambda: Counter())
told(TypeError, "object.add.remote()", lambda: a.add(1))
told(AttributeError, "subtract", lambda: a.subtract.remote(1))
told(TypeError, "'n'", lambda: a.add.remote())
told(TypeError, "too many", lambda: Counter.remote(1, 2, 3))
told(RuntimeError, "twice", lambda: ray.init())
told(ValueError, "list of ObjectRefs", lambda: ray.get(3))
told(NotImplementedError, "ray.data", lambda: ray.data)
assert not hasattr(ray, "tune")
ray.init(ignore_reinit_error=True)
""")


def test_tensors_are_each_tasks_own_and_arrays_are_read_only(tmp_path):
    needs("torch")
    passes(tmp_path, """
import numpy, torch

@ray.remote
class Holder:
    def take(self, value):
        self.value = value
    def change(self):
        self.value += 1
        return self.value
for size in (4, 1 << 20):  # in the message, and in shared memory
    ref = ray.put(torch.ones(2, size // 2))
    holders = [Holder.remote() for _ in range(3)]
    ray.get([h.take.remote(ref) for h in holders])
    assert [float(ray.get(h.change.remote()).sum()) for h in holders] == [2.0 * size] * 3
    assert float(ray.get(ref).sum()) == size
    result = ray.get(holders[0].change.remote())
    result += 1  # ours, too
    assert float(ray.get(holders[0].change.remote())[0, 0]) == 4
    holders[0].take.remote(numpy.ones(size))
    with refused(ValueError, "read-only"):
        ray.get(holders[0].change.remote())
tensors = {"a": torch.arange(3), "b": torch.zeros(0, 5), "c": torch.tensor(2.5), "d": torch.ones(3, 4).t(),
           "e": torch.ones(2, dtype=torch.bfloat16), "f": torch.tensor([True, False])}
back = ray.get(ray.put(tensors))
for key, value in tensors.items():
    assert back[key].dtype == value.dtype and back[key].shape == value.shape and torch.equal(back[key], value), key
fortran = numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))
assert (ray.get(ray.put(fortran)) == fortran).all()
""")


def test_lines_that_actors_print_name_them(tmp_path):
    out = passes(tmp_path, """
@ray.remote
class Worker:
    def hello(self):
        print("hello", "there")
        print("unfinished", end="")
        return os.getpid()
pid = ray.get(Worker.remote().hello.remote())
print(pid)
""")
    pid = out.split()[-1]
    assert out == f"(Worker pid={pid}) hello there\n(Worker pid={pid}) unfinished\n{pid}\n"


def test_random_numbers_differ_between_actors(tmp_path):
    passes(tmp_path, """
import random
@ray.remote
class Random:
    def number(self):
        return random.random()
random.seed(1)
actors = [Random.remote() for _ in range(3)]
assert len(set(ray.get([a.number.remote() for a in actors]))) == 3
""")


def test_actors_end_when_their_last_handle_does(tmp_path):
    passes(tmp_path, """
a = Counter.remote()
pid = ray.get(a.pid.remote())
result = a.add.remote(5)
del a
assert ray.get(result) == 5
deadline = time.monotonic() + 10
while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
    ray.put(0)
    time.sleep(0.01)
assert not os.path.exists(f"/proc/{pid}")
""")


def test_dropped_objects_free_their_memory(tmp_path):
    needs("torch")
    passes(tmp_path, """
import torch
def memory_files():
    links = (f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd"))
    return sum("ray-object" in os.readlink(link) for link in links if os.path.lexists(link))
for _ in range(5):
    ref = ray.put(torch.zeros(1 << 20))
    ray.get(ref)
ray.put(0)
assert memory_files() == 1, memory_files()
""")


kBusy = kCounter + """
actors = [Counter.remote() for _ in range(3)]
ray.get([a.add.remote(1) for a in actors])
refs = [a.sleep.remote(1000) for a in actors[:2]]
print("ready", flush=True)
"""


def left_behind(mark):
    deadline = time.monotonic() + 15
    while processes_with(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return processes_with(mark)


@pytest.mark.parametrize("end", ["ray.shutdown()", "pass", "raise ValueError('mistake')", "sys.exit(3)",
                                 "os._exit(4)", "os.kill(os.getpid(), 9)"])
def test_nothing_is_left_behind(tmp_path, end):
    mark = f"RANKSCOPE_TEST_MARK={os.getpid()}-{abs(hash(end))}"
    key, value = mark.split("=")
    python(tmp_path, kBusy + end, **{key: value})
    assert left_behind(mark) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_behind_by_signals(tmp_path, number):
    mark = f"RANKSCOPE_TEST_MARK={os.getpid()}-signal-{int(number)}"
    key, value = mark.split("=")
    path = write(tmp_path, "program.py", kBusy + "ray.get(refs)\n")
    driver = subprocess.Popen([sys.executable, path], env=environment(**{key: value}), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, start_new_session=True)
    assert driver.stdout.readline() == b"ready\n"
    os.killpg(driver.pid, number) if number == signal.SIGINT else driver.send_signal(number)
    driver.wait(20)
    driver.stdout.close()
    assert left_behind(mark) == []


def test_what_an_actor_cannot_know_is_told(tmp_path):
    passes(tmp_path, """
a = Counter.remote()
ray.get(a.add.remote(1))
class Later:
    pass
with refused(AttributeError, "Define it first"):
    ray.get(a.add.remote(Later()))
assert not hasattr(ray.util, "ActorPool")
""")


kSlow = """
import time, ray
@ray.remote
class Slow:
    def work(self, x):
        time.sleep(0.2)
        return x
ray.init()
slow = [Slow.remote() for _ in range(4)]
"""


@pytest.mark.parametrize("text, words, code", [
    ("for one in slow: ray.get(one.work.remote(1))", "the actors work one after the other", 0),
    ("for one in slow:\n    ref = one.work.remote(1)\n    print(ray.get(ref))", "the actors work one after the other", 0),
    ("x = 1\nfor one in slow: x = ray.get(one.work.remote(x))", "", 0), ("ray.get([one.work.remote(1) for one in slow])", "", 0),
    ("x = 1\nfor one in slow:\n    new = ray.get(one.work.remote(x))\n    x += new", "", 0),
    ("left = [one.work.remote(1) for one in slow]\ndone, left = ray.wait(left, num_returns=2)\nprint(ray.get(done[0]))", "", 0),
    ("left = [one.work.remote(1) for one in slow]\nwhile left:\n    done, left = ray.wait(left, num_returns=2)\n    print(ray.get(done[0]))",
     "done[0] is the only result that is taken of those that ray.wait in line 12 returns", 1),
    ("left = [one.work.remote(1) for one in slow]\nwhile left:\n    done, left = ray.wait(left, num_returns=2)\n    print(ray.get(done))", "", 0)])
def test_calls_one_at_a_time_and_results_that_are_dropped_are_named(tmp_path, text, words, code):
    got, out, err = under_exec(tmp_path, kSlow + text + "\n")
    assert got == code and words in err and (words or "misused" not in err), err
