"""Programs whose messages take virtual time: rankscope exec --sim."""

import json

import pytest
from programs import needs, rankscope, run, under_exec, write

# 10 us and 1 GB/s for each pair of ranks.
kNetwork = """
[family]
name = "uniform"
ranks = 4
[model]
alpha = "10 us"
beta = "1 GB/s"
"""

# Each rank passes 8000 bytes on to the next, three times.
kRing = """
from mpi4py import MPI
import numpy
comm = MPI.COMM_WORLD
out, into = numpy.full(1000, comm.rank, dtype="d"), numpy.empty(1000, dtype="d")
begin = MPI.Wtime()
for _ in range(3):
    comm.Sendrecv(out, dest=(comm.rank + 1) % comm.size, recvbuf=into, source=(comm.rank - 1) % comm.size)
    out[:] = into
assert into[0] == (comm.rank - 3) % comm.size
print("took %.6f" % (MPI.Wtime() - begin))
"""


def simulated(folder, text, ranks=None, options=(), sim=None, **extra):
    """(exit code, what --json says, standard output before it, standard error)."""
    path = write(folder, "program.py", text)
    network = sim or write(folder, "network.toml", kNetwork)
    words = [rankscope(), "--json", "exec", *(["-n", str(ranks)] if ranks else []), "--sim", network,
             "-o", str(folder / "run.rankscope"), *options, path]
    code, out, err = run(words, folder, **extra)
    at = out.find("{\n")
    return code, json.loads(out[at:]) if at >= 0 else None, out[:max(at, 0)], err


def test_messages_take_what_the_network_says(tmp_path):
    needs("numpy")
    # MPI's limit for eager messages is 4 KiB: announcing and answering take a latency each.
    code, said, out, err = simulated(tmp_path, kRing, 4)
    assert code == 0, err
    expected = 3 * (3 * 10e-6 + 8000e-9)
    assert abs(said["runs"][0]["virtual_s"] - expected) < 1e-8
    assert out.splitlines() == ["took %.6f" % expected] * 4
    code, said, _, err = simulated(tmp_path, kRing, 4, ["--send-mode", "buffered"])
    assert abs(said["runs"][0]["virtual_s"] - 3 * (10e-6 + 8000e-9)) < 1e-8
    assert code == 0, err


def test_the_same_program_gives_the_same_trace(tmp_path):
    needs("numpy")
    traces = []
    for _ in range(2):
        code, _, _, err = simulated(tmp_path, kRing, 4, ["--jitter", "0.3", "--seed", "7"])
        assert code == 0, err
        code, out, err = run([rankscope(), "trace", "print", str(tmp_path / "run.rankscope")], tmp_path)
        assert code == 0, err
        traces.append(out)
    assert traces[0] == traces[1]


def test_sleep_does_not_decide_who_comes_first(tmp_path):
    needs("numpy")
    code, _, out, err = simulated(tmp_path, """
        from mpi4py import MPI
        import numpy, time
        comm = MPI.COMM_WORLD
        one = numpy.zeros(1)
        if comm.rank == 0:
            for _ in range(2):
                status = MPI.Status()
                comm.Recv(one, source=MPI.ANY_SOURCE, tag=0, status=status)
                print("from", status.Get_source())
            while not comm.iprobe(source=1, tag=7):
                pass
            comm.Recv(one, source=1, tag=7)
        else:
            time.sleep(0.3 / comm.rank)
            if comm.rank == 1:
                comm.Send(numpy.zeros(500), dest=2, tag=5)
            if comm.rank == 2:
                comm.Recv(numpy.zeros(500), source=1, tag=5)
            comm.Send(one, dest=0)
            if comm.rank == 1:
                request = comm.Isend(one, dest=0, tag=7)
                while not request.Test():
                    pass
        """, 3)
    assert code == 0, err
    assert out.splitlines() == ["from 1", "from 2"]


def test_computing_takes_what_is_asked_for(tmp_path):
    needs("numpy")
    program = """
        import time
        from mpi4py import MPI
        MPI.COMM_WORLD.Barrier()
        begin = time.thread_time()
        while time.thread_time() - begin < 0.1:
            pass
        MPI.COMM_WORLD.Barrier()
        """
    code, said, _, err = simulated(tmp_path, program, 2)
    assert code == 0, err
    assert said["runs"][0]["virtual_s"] < 0.01
    for factor in (1, 0.5):
        code, said, _, err = simulated(tmp_path, program, 2, ["--compute", str(factor)])
        assert code == 0, err
        assert said["runs"][0]["virtual_s"] >= 0.1 * factor
    code, out, err = run([rankscope(), "trace", "print", str(tmp_path / "run.rankscope")], tmp_path)
    assert "compute" in out


def test_a_deadlock_is_known_at_once(tmp_path):
    needs("numpy")
    code, said, _, err = simulated(tmp_path, """
        from mpi4py import MPI
        import numpy
        comm = MPI.COMM_WORLD
        comm.Ssend(numpy.zeros(4), dest=1 - comm.rank)
        comm.Recv(numpy.zeros(4), source=1 - comm.rank)
        """, 2, ["--timeout", "3000"])
    assert code == 1, err
    assert said["runs"][0]["status"] == "deadlock"
    assert any(one["kind"] == "deadlock" for one in said["runs"][0]["findings"])


def test_a_rank_that_stays_away_is_named(tmp_path):
    needs("numpy")
    code, said, _, err = simulated(tmp_path, """
        import time
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        comm.Barrier()
        if comm.rank == 1:
            time.sleep(600)
        comm.Barrier()
        """, 2, ["--timeout", "1"])
    assert code == 1, err
    assert said["runs"][0]["status"] == "timeout"
    assert "rank 1 came with no verb" in said["runs"][0]["message"]


def test_a_rank_that_fails_ends_the_run(tmp_path):
    needs("numpy")
    code, said, _, err = simulated(tmp_path, """
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        comm.Barrier()
        if comm.rank == 1:
            raise ValueError("no more")
        comm.Barrier()
        """, 3)
    assert code == 1
    assert said["runs"][0]["status"] == "failed"
    assert "ValueError: no more" in err


kSpawn = """
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def work(rank, size):
    for port in (29511, 29512):
        dist.init_process_group("gloo", init_method="tcp://127.0.0.1:%d" % port, rank=rank, world_size=size)
        data = torch.full((1000,), float(rank))
        dist.all_reduce(data)
        assert data[0] == size * (size - 1) / 2
        work = dist.isend(data, (rank + 1) % size)
        dist.recv(data, (rank - 1) % size)
        work.wait()
        dist.barrier(async_op=True).wait()
        dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(work, args=(3,), nprocs=3)
"""


def test_a_program_that_makes_its_ranks_may_make_several_groups(tmp_path):
    needs("torch")
    (tmp_path / "traces").mkdir()
    path = write(tmp_path, "program.py", kSpawn)
    code, out, err = run([rankscope(), "--json", "exec", "--sim", "ring", "-o", str(tmp_path / "traces"), path],
                         tmp_path)
    assert code == 0, err
    runs = json.loads(out)["runs"]
    assert [one["world_size"] for one in runs] == [3, 3]
    assert runs[0]["virtual_s"] == runs[1]["virtual_s"] > 0
    code, out, err = run([rankscope(), "check", runs[1]["trace"]], tmp_path)
    assert code == 0, out + err


def test_actors_that_are_not_called_let_the_others_go_on(tmp_path):
    needs("numpy")
    path = write(tmp_path, "program.py", """
        import numpy
        import ray
        from ray.util import collective

        @ray.remote
        class Worker:
            def setup(self, rank, size):
                collective.init_collective_group(size, rank, "gloo", "default")
            def send(self, to):
                collective.send(numpy.ones(10), to, "default")
            def receive(self, source):
                data = numpy.zeros(10)
                collective.recv(data, source, "default")
                return data[0]
            def sum(self):
                data = numpy.ones(4)
                collective.allreduce(data, "default")
                return data[0]

        ray.init()
        workers = [Worker.remote() for _ in range(3)]
        ray.get([one.setup.remote(rank, 3) for rank, one in enumerate(workers)])
        sent = workers[1].send.remote(2)
        assert ray.get(workers[2].receive.remote(1)) == 1   # rank 0 has nothing to do
        ray.get(sent)
        assert ray.get([one.sum.remote() for one in workers]) == [3, 3, 3]
        """)
    code, out, err = run([rankscope(), "--json", "exec", "--sim", "uniform", "--timeout", "60", path], tmp_path)
    assert code == 0, out + err
    assert json.loads(out)["runs"][0]["world_size"] == 3


@pytest.mark.parametrize("options, says", [
    (["--sim", "no-such-network"], "no-such-network"),
    (["-n", "9", "--sim", "ring"], "8 ranks"),
    (["--compute", "1"], "--sim"),
    (["--jitter", "0.1"], "--sim"),
    (["--sim", "ring", "--compute", "fast"], "is no factor"),
    (["--sim", "ring", "--explore", "10"], "leave --explore"),
    (["-n", "2", "--sim", "ring", "--fail", "rank7@1ms"], "rank 7"),
])
def test_what_cannot_be_simulated_is_refused(tmp_path, options, says):
    path = write(tmp_path, "program.py", "print('began')")
    code, out, err = run([rankscope(), "exec", *options, path], tmp_path)
    assert code == 2, err
    assert says in err
    assert "began" not in out


def test_more_ranks_than_the_network_has_are_refused(tmp_path):
    needs("torch")
    code, _, err = under_exec(tmp_path, kSpawn.replace("args=(3,), nprocs=3", "args=(9,), nprocs=9"),
                              options=["--sim", "ring"])
    assert code == 2, err
    assert "the topology has 8 ranks" in err
