"""Programs that do not end, or end with errors: what exec says of each rank, and that check says the same."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from programs import WAIT_LIMIT, environment, needs, processes_with, rankscope, run, under_exec, write

kSpins = """
import rankscope
comm = rankscope.join()
box = bytearray(4)
def spin():
    while True:
        pass
if comm.rank == 1:
    spin()
comm.recv(box, 1)  # pending
"""


def findings_of(folder):
    """Those of check, which ends with 1."""
    code, out, err = run([rankscope(), "check", "--json", "t.rankscope"], folder)
    assert code == 1, out + err
    return json.loads(out)["findings"]


def test_a_rank_that_computes_without_end_is_named_with_its_line(tmp_path):
    code, out, err = under_exec(tmp_path, kSpins, 3, options=["--json", "--timeout", "2", "-o", "t.rankscope"])
    assert code == 1, err
    said = json.loads(out)["runs"][0]
    assert said["status"] == "timeout"
    assert [one["kind"] for one in said["findings"]] == ["endless work", "not ended"]
    work, pending = said["findings"]
    assert work["ranks"] == [1] and work["site"] in ("program.py:6", "program.py:7")
    assert "in spin" in work["what"]
    assert pending["what"] == "ranks 0 and 2 were in recv from rank 1 at program.py:10 when the run was ended"
    assert findings_of(tmp_path) == said["findings"]


def test_ctrl_c_says_in_which_verb_each_rank_was(tmp_path):
    path = write(tmp_path, "program.py", kSpins.replace("while True", "print('ready', flush=True)\n    while True"))
    variables = environment()
    del variables["PYTHONPATH"]
    with subprocess.Popen([rankscope(), "exec", "-n", "2", "-o", "t.rankscope", "--", sys.executable, path], text=True,
                          cwd=str(tmp_path), env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=WAIT_LIMIT)
    assert process.returncode == 130
    assert "rank 0 was in recv from rank 1 at program.py:" in err
    assert "rank 0 was in recv from rank 1" in findings_of(tmp_path)[-1]["what"]


def test_the_time_limit_holds_after_the_last_run(tmp_path):
    code, out, err = under_exec(tmp_path, "import rankscope, time; rankscope.join(0, 1); rankscope.leave()\n"
                                "time.sleep(1000)\n", options=["--json", "--timeout", "1"])
    assert code == 1, err
    assert json.loads(out)["message"] == "the program did not end after its last run within 1 s"


def test_the_same_error_of_several_ranks_is_one_traceback(tmp_path):
    code, out, err = under_exec(tmp_path, """
import rankscope
comm = rankscope.join()
def fail():
    raise KeyError("width")
comm.barrier()
fail()
""", 4, options=["--json"])
    assert code == 1
    lines = err.strip().split("\n")
    assert all(line.startswith("[rank ") for line in lines), err
    assert err.count("Traceback") == 1
    assert len({line[:8] for line in lines[:lines.index(next(li for li in lines if "KeyError" in li)) + 1]}) == 1
    findings = json.loads(out)["runs"][0]["findings"]
    assert len(findings) == 1 and "failed: KeyError: 'width'" in findings[0]["what"]


def test_built_ins_that_are_stopped_name_the_line_that_called_them(tmp_path):
    code, _, err = under_exec(tmp_path, """
import rankscope
comm = rankscope.join()
if comm.rank == 0:
    comm.recv(bytearray(4), 1)
else:
    try:
        comm.barrier()
    except rankscope.Stopped as stop:
        print("stopped:", stop)
        raise
""", 2)
    assert code == 1
    code, out, _ = under_exec(tmp_path, open(os.path.join(str(tmp_path), "program.py")).read(), 2)
    assert "program.py:8" in out and ".cpp" not in out


kMpi = "from mpi4py import MPI\nimport numpy as np\ncomm = MPI.COMM_WORLD\nmine = np.arange(4.0)\n"


@pytest.mark.parametrize("text, words", [
    ("comm.Send(mine, 1) if comm.rank == 0 else comm.recv()", "recv mixes buffers and objects"),
    ("comm.send([1, 2], 1) if comm.rank == 0 else comm.Recv(np.empty(100))", "Recv mixes buffers and objects"),
    ("comm.send(1, 1.0)", "a rank is an integer, not 1.0"),
])
def test_mistakes_with_mpi_are_said_in_its_words(tmp_path, text, words):
    needs("numpy")
    code, _, err = under_exec(tmp_path, kMpi + text + "\n", 2)
    assert code == 1
    assert "TypeError: " in err and words in err
    assert "line 5, in <module>" in err


def test_persistent_requests(tmp_path):
    needs("numpy")
    code, out, err = under_exec(tmp_path, kMpi + """
box, other = np.empty(4), 1 - comm.rank
send, receive = comm.Send_init(mine, other, tag=3), comm.Recv_init(box, other, tag=3)
for k in range(3):
    mine[:] = 10 * comm.rank + k
    MPI.Prequest.Startall([send, receive])
    try:
        receive.Start()
        raise SystemExit("started twice")
    except MPI.Exception as error:
        assert error.Get_error_class() == MPI.ERR_REQUEST
    status = MPI.Status()
    receive.Wait(status)
    send.Wait()
    assert box.tolist() == [10 * other + k] * 4 and status.source == other
    assert send and send != MPI.REQUEST_NULL
send.Free()
receive.Free()
assert not send
""", 2, options=["--json"])
    assert code == 0, err
    assert json.loads(out)["runs"][0]["findings"] == []


def test_torch_refuses_what_it_refuses_elsewhere(tmp_path):
    needs("torch")
    code, out, err = under_exec(tmp_path, """
import torch, torch.distributed as dist
try:
    dist.init_process_group("mpi")
except Exception as error:
    assert 'rankscope has "gloo" alone' in str(error), error
dist.init_process_group("gloo")
for call, kind, words in ((lambda: dist.recv(torch.zeros(1), src=-1), ValueError, "rank -1 does not exist"),
                          (lambda: dist.send(torch.zeros(1), 1.0), TypeError, "a rank is an integer, not 1.0"),
                          (lambda: dist.broadcast(torch.zeros(1), 2.0), TypeError, "")):
    try:
        call()
        raise SystemExit("was not refused")
    except kind as error:
        assert words in str(error), error
x = torch.ones(1)
if dist.get_rank() == 0:
    dist.send(x, torch.tensor(1))
else:
    assert dist.recv(x) == 0
""", 2)
    assert code == 0, out + err


def test_torch_warns_of_what_gloo_does_otherwise(tmp_path):
    needs("torch")
    code, out, err = under_exec(tmp_path, """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
if rank == 0:
    request = dist.irecv(torch.zeros(1), 1)
    while not request.is_completed():
        pass
else:
    dist.send(torch.ones(1), 0)
dist.all_gather([torch.zeros(1)] * 2, torch.ones(1))
dist.all_gather([torch.zeros(1)] * 2, torch.full((1,), 1.0 + rank))
""", 2)
    assert code == 1, out + err
    found = [line for line in err.splitlines() if "error: misused call" in line]
    assert len(found) == 2, err
    assert "hint: misused call  at program.py:11" in err  # the same memory, of equal data
    assert "at program.py:7 on rank 0: this loop asks is_completed() of a message and would never end" in err
    assert "at program.py:12 on ranks 0 and 1: all_gather: all tensors of tensor_list are one piece of memory" in err


def test_polling_that_ends_with_gloo_and_one_list_of_equal_data_are_no_mistakes(tmp_path):
    needs("torch")
    code, out, err = under_exec(tmp_path, """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
if dist.get_rank() == 0:
    request = dist.irecv(torch.zeros(1), 1)
    for look in range(3):
        if request.is_completed():
            break
    while not request.is_completed():
        request.wait()
else:
    dist.send(torch.ones(1), 0)
dist.all_gather([torch.zeros(1)] * 2, torch.ones(1))
""", 2)
    assert code == 0 and "error" not in err and "hint: misused call  at program.py:13" in err, out + err


def test_a_send_whose_rank_ends_before_its_data_are_gone_is_the_cause(tmp_path):
    needs("torch")
    code, out, err = under_exec(tmp_path, """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(4)
if dist.get_rank() == 0:
    dist.isend(x, 1)
else:
    dist.recv(x, 0)
""", 2)
    assert code == 1, out + err
    assert "request never waited for  nobody waits for rank 0's send to rank 1 at program.py:6" in err, err
    assert "rank 1 is blocked at program.py:8" in err, err


@pytest.mark.parametrize("by", ["1", "0"])  # data of ranks that differ, or not
def test_a_model_that_is_trained_past_its_wrapper(tmp_path, by):
    needs("torch")
    code, out, err = under_exec(tmp_path, """
import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
past = DistributedDataParallel(torch.nn.Linear(2, 1))
through = DistributedDataParallel(torch.nn.Linear(2, 1))
step = torch.optim.SGD(list(past.parameters()) + list(through.parameters()), lr=0.1)
x = torch.full((1, 2), 1.0 + dist.get_rank() * {by})
(past.module(x) + through(x)).sum().backward()
step.step()
""".replace("{by}", by), 2)
    found = [line for line in err.splitlines() if "misused call" in line]
    assert (code, len(found)) == ((1, 1) if by == "1" else (0, 0)), out + err
    assert not found or "at program.py:5 on ranks 0 and 1" in found[0] and "are not averaged" in found[0]


def test_ranks_that_meet_at_different_ports_are_told_so(tmp_path):
    needs("torch")
    code, out, err = under_exec(tmp_path, """
import os, socket
import torch.distributed as dist
import torch.multiprocessing as mp
def worker(rank, size):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free.getsockname()[1]))
    dist.init_process_group("gloo", rank=rank, world_size=size)
if __name__ == "__main__":
    mp.spawn(worker, args=(3,), nprocs=3)
""", None)
    assert code == 1
    assert "the ranks wait for each other at different addresses: rank 0 at 127.0.0.1:" in err


@pytest.mark.parametrize("kind", ["python", "loads torch", "c++", "another command", "no environment"])
def test_ranks_that_sleep_end_when_exec_is_killed(tmp_path, kind):
    """Also what they started, in a session of its own, and with the environment cleared."""
    if kind == "loads torch":
        needs("torch")
    waits = "import subprocess, time\nsubprocess.Popen(['sleep', '87654'], start_new_session=True)\n" \
            "rank.barrier()\nprint('asleep', flush=True)\ntime.sleep(87654)\n"
    if kind == "c++":
        path = write(tmp_path, "program.cpp", """
            #include <rankscope.hpp>
            #include <cstdio>
            #include <unistd.h>
            int main() {
              rankscope::join().barrier();
              std::puts("asleep");
              std::fflush(stdout);
              sleep(87654);
            }
            """)
        command = [path]
    elif kind == "another command":
        command = ["--", "bash", "-c", "(setsid sleep 87654 &); echo asleep; sleep 87654"]
    elif kind == "no environment":
        command = ["--", "env", "-i", "OF_THIS_TEST=" + str(tmp_path), "bash", "-c", "sleep 87654 & echo asleep; wait"]
    else:
        loads = "import torch\n" if kind == "loads torch" else ""
        path = write(tmp_path, "program.py", loads + "import rankscope\nrank = rankscope.join()\n" + waits)
        command = ["--", sys.executable, path]
    variables = environment(OF_THIS_TEST=str(tmp_path))
    del variables["PYTHONPATH"]
    with subprocess.Popen([rankscope(), "exec", "-n", "2", *command], text=True, cwd=str(tmp_path), env=variables,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for _ in range(2):
            assert process.stdout.readline() == "asleep\n", process.stderr.read()
        assert len(processes_with(str(tmp_path))) > 2
        process.kill()
    until = time.monotonic() + WAIT_LIMIT
    while processes_with(str(tmp_path)) and time.monotonic() < until:
        time.sleep(0.05)
    assert processes_with(str(tmp_path)) == []


def test_exec_leaves_no_process_to_be_adopted(tmp_path):
    adopts = ctypes.CDLL(None).prctl  # PR_SET_CHILD_SUBREAPER
    adopts(36, 1, 0, 0, 0)
    try:
        code, out, err = run([rankscope(), "exec", "-n", "2", "--", "true"], tmp_path)
        assert code == 0, out + err
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
    finally:
        adopts(36, 0, 0, 0, 0)
