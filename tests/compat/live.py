"""Commands that make something new: of what they write as JSON, only the keys are stored, since all else varies."""
import json
import sys

from compat import FILES, environment, flat, run

ONCE = """import rankscope
comm = rankscope.join()
if comm.rank == 0:
    comm.send(b"abcd", 1)
    comm.send(b"efgh", 1, 3)
elif comm.rank == 1:
    comm.recv(bytearray(4), rankscope.ANY, 3)
"""
ORDER = """import rankscope
comm = rankscope.join()
if comm.rank == 0:
    first, second = bytearray(1), bytearray(1)
    comm.recv(first, rankscope.ANY)
    comm.recv(second, rankscope.ANY)
    assert first == b"1"
else:
    comm.send(b"%d" % comm.rank, 0)
"""
BROADCAST = """import torch.distributed as dist
def my_broadcast(tensor, src):
    dist.broadcast(tensor, src)
"""
PROGRAMS = {"once.py": ONCE, "order.py": ORDER, "my_broadcast.py": BROADCAST}
# The exit code that each has, and its arguments; "PYTHON" stands for this Python.
COMMANDS = {
    "list": (0, "list --json"),
    "exercises": (0, "list --exercises --json"),
    "run": (0, "run allreduce.ring -n 2 --json"),
    "wrong run": (1, "run exercise.sum_a -n 3 --json"),
    "demo": (0, "demo --json"),
    "profile": (0, "profile allreduce -n 2 --sizes 64:64 --algorithms ring --rounds 1 --iterations 2 --json"),
    "exec": (0, "exec -n 2 --json -- PYTHON once.py"),
    "explore": (1, "exec -n 3 --explore 2 --json -- PYTHON order.py"),
    "exercise": (1, "exercise my-broadcast my_broadcast.py --no-sandbox --seed 3 --json"),
    "export": (0, "export TRACE -o ring.svg --json"),
    "check": (1, "check DEADLOCK --json"),
    "error": (2, "run allreduce.nothing --json"),
}


def keys_of(name, folder):
    """(exit code, keys of the JSON)."""
    for file, text in PROGRAMS.items():
        (folder / file).write_text(text, encoding="utf-8")
    places = {"PYTHON": sys.executable, "TRACE": str(FILES / "traces" / "allreduce-ring.rankscope"),
              "DEADLOCK": str(FILES / "traces" / "exec-circle.rankscope")}
    arguments = [places.get(word, word) for word in COMMANDS[name][1].split()]
    done = run(arguments, folder, environment(folder))
    text = done.stdout if done.stdout.lstrip().startswith(("{", "[")) else done.stderr
    return done.returncode, sorted(flat(json.loads(text)))
