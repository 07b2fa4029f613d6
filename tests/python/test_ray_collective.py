"""ray.util.collective between the stand-in's actors, under `rankscope exec`."""

from programs import kRefused, needs, under_exec

needs("torch")

kWorker = kRefused + """
import numpy as np, ray, torch
import ray.util.collective as col
from ray.util.collective import types
ray.init()

@ray.remote
class Worker:
    def __init__(self, size=None, rank=None, group="default"):
        self.group = group
        if size is not None:
            col.init_collective_group(size, rank, "gloo", group)
    def rank(self):
        return col.get_rank(self.group), col.get_collective_group_size(self.group)
    def call(self, name, *args, **kwargs):
        args = [a.clone() if isinstance(a, torch.Tensor) else np.array(a) if isinstance(a, np.ndarray) else a
                for a in args]
        getattr(col, name)(*args, group_name=self.group, **kwargs)
        return args[0]
    def list_call(self, name, own, count, fill, **kwargs):
        parts = [own.clone() * 0 + fill * (i + 1) for i in range(count)]
        args = (own.clone(), parts) if name == "reducescatter" else (parts, own.clone())
        getattr(col, name)(*args, group_name=self.group, **kwargs)
        return args[0]
    def destroy(self):
        col.destroy_collective_group(self.group)
        return col.is_group_initialized(self.group), col.get_rank(self.group)

def every(workers, *args, **kwargs):
    return ray.get([w.call.remote(*args, **kwargs) for w in workers])
"""


def passes(folder, text, **options):
    code, out, err = under_exec(folder, kWorker + text, **options)
    assert code == 0, out + err
    return out


def test_all_functions(tmp_path):
    passes(tmp_path, """
workers = [Worker.remote(4, r) for r in range(4)]
assert ray.get([w.rank.remote() for w in workers]) == [(r, 4) for r in range(4)]
t = torch.arange(6.0).reshape(2, 3)
for op, factor in ((types.ReduceOp.SUM, t * 4), (types.ReduceOp.PRODUCT, t ** 4), (types.ReduceOp.MIN, t)):
    assert all(torch.equal(r, factor) for r in every(workers, "allreduce", t, op=op))
assert all((r == 8).all() for r in every(workers, "allreduce", np.full(3, 2, "i8")))
assert all(r.dtype == torch.float16 and r.tolist() == [4, 8] for r in
           every(workers, "allreduce", torch.tensor([1, 2], dtype=torch.float16)))
refs = [w.call.remote("reduce", t + r, dst_rank=2) for r, w in enumerate(workers)]
for r, got in enumerate(ray.get(refs)):
    assert torch.equal(got, t * 4 + 6 if r == 2 else t + r), (r, got)
refs = [w.call.remote("broadcast", t + r, src_rank=3) for r, w in enumerate(workers)]
assert all(torch.equal(got, t + 3) for got in ray.get(refs))
refs = [w.list_call.remote("allgather", torch.tensor([[float(r)]]), 4, 0) for r, w in enumerate(workers)]
assert all([p.tolist() for p in got] == [[[0.0]], [[1.0]], [[2.0]], [[3.0]]] for got in ray.get(refs))
refs = [w.list_call.remote("reducescatter", torch.zeros(2), 4, r + 1) for r, w in enumerate(workers)]
assert [got.tolist() for got in ray.get(refs)] == [[10.0 * (r + 1)] * 2 for r in range(4)]
got = ray.get([workers[0].call.remote("send", t, 3), workers[3].call.remote("recv", torch.zeros(3, 2), 0)])
assert torch.equal(got[1], t.reshape(3, 2))
ray.get([w.call.remote("send" if r % 2 == 0 else "recv", np.full(2, r), r ^ 1) for r, w in enumerate(workers)])
print("done")
""")


def test_a_group_that_the_driver_declares(tmp_path):
    passes(tmp_path, """
workers = [Worker.remote() for _ in range(3)]
col.create_collective_group(workers, 3, [2, 0, 1], backend="gloo")
refs = [w.call.remote("broadcast", torch.tensor([float(i)]), src_rank=2) for i, w in enumerate(workers)]
assert [got.item() for got in ray.get(refs)] == [0.0] * 3
assert ray.get([w.rank.remote() for w in workers]) == [(2, 3), (0, 3), (1, 3)]
with refused(RuntimeError, "twice"):
    col.create_collective_group(workers, 3, [2, 0, 1], backend="gloo")
assert ray.get([w.destroy.remote() for w in workers]) == [(False, -1)] * 3
""")


def test_groups_with_names_and_again_after_shutdown(tmp_path):
    passes(tmp_path, """
for turn in range(2):
    workers = [Worker.remote(2, r, "mine") for r in range(2)]
    assert [got.item() for got in every(workers, "allreduce", torch.ones(1))] == [2.0, 2.0]
    ray.get([w.destroy.remote() for w in workers])
    ray.shutdown()
""")


def test_ranks_that_are_killed_between_calls_leave_in_order(tmp_path):
    passes(tmp_path, """
workers = [Worker.remote(2, r) for r in range(2)]
every(workers, "allreduce", torch.ones(1))
for w in workers:
    ray.kill(w)
""")


def test_copies_of_the_driver_are_refused(tmp_path):
    code, out, err = under_exec(tmp_path, kWorker + """
workers = [Worker.remote(2, r) for r in range(2)]
every(workers, "allreduce", torch.ones(1))
""", ranks=2)
    assert code != 0 and "-n" in err, err


def test_mistakes_are_told(tmp_path):
    code, out, err = under_exec(tmp_path, kWorker + """
def told(kind, text, ref):
    with refused(kind, text):
        ray.get(ref)
workers = [Worker.remote(2, r) for r in range(2)]
w = workers[0]
told(RuntimeError, "is self", w.call.remote("send", torch.ones(1), 0))
told(ValueError, "less than world size", w.call.remote("recv", torch.ones(1), 2))
told(RuntimeError, "Unrecognized tensor type", w.call.remote("allreduce", 3))

@ray.remote
class Other:
    def begin(self, *args):
        col.init_collective_group(*args)
    def send(self, tensor):
        col.send(tensor, 1)
told(RuntimeError, 'backend="gloo"', Other.remote().begin.remote(2, 0))
told(RuntimeError, "not initialized", Other.remote().send.remote(torch.ones(1)))
with refused(RuntimeError, "inside a Ray actor"):
    col.get_rank()
print("all told")
""")
    assert "all told" in out, err  # the run itself counts as failed: its rank 0 ended with an error
    assert "rank 0 sends to itself" in err


def test_columns_have_to_be_copied(tmp_path):
    code, out, err = under_exec(tmp_path, kWorker + """
@ray.remote
class Columns(Worker._target):
    def columns(self):
        col.send(torch.zeros(3, 3)[:, 0], 1 - col.get_rank())
workers = [Columns.remote(2, r) for r in range(2)]
ray.get(workers[0].columns.remote())
""")
    assert code != 0 and "contiguous" in err


def test_sends_are_rendezvous_so_that_two_that_both_send_first_hang(tmp_path):
    code, out, err = under_exec(tmp_path, kWorker + """
workers = [Worker.remote(2, r) for r in range(2)]
ray.get([w.call.remote("send", torch.ones(1), 1 - r) for r, w in enumerate(workers)])
""")
    assert code != 0 and "deadlock" in (out + err).lower()


def test_the_ranks_of_a_run_are_the_actors(tmp_path):
    code, out, err = under_exec(tmp_path, kWorker + """
workers = [Worker.remote(3, r) for r in range(3)]
every(workers, "allreduce", torch.ones(4))
""")
    assert code == 0 and "program.py: 3 ranks, ended well" in err, err
    assert (tmp_path / "program-n3.rankscope").exists()
