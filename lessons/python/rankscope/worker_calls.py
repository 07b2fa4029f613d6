"""Calls an exercise's class Worker, once or many times with the time of each call.

`tools` are functions of contract.py: member, given and hand_in.
"""
import json
import time

GROUP = "exercise"


def plain_class(made):
    """The class itself, where it stands under @ray.remote, as the task's handout has it."""
    return made._target if type(made).__name__ == "ActorClass" else made


def made_worker(tools, task, module, tensor):
    """This rank's Worker, with its message and a buffer for the received one."""
    import torch
    worker = plain_class(tools.member(module, "Worker", task["file"]))(task["size"], task["rank"], GROUP)
    worker.msg = tensor
    worker.buf = torch.zeros(tensor.shape, dtype=tensor.dtype)
    return worker


def leave_group():
    import ray.util.collective as collective
    collective.destroy_collective_group(GROUP)


def call_once(tools, tasks, task, module):
    tensor = tools.given(tasks, task["msg"])
    worker = made_worker(tools, task, module, tensor)
    returned = tools.member(worker, task["function"], "Worker")(*task["args"])
    leave_group()
    tools.hand_in(tasks, "return", returned)
    tools.hand_in(tasks, "msg", worker.msg)
    tools.hand_in(tasks, "argument 0", tensor)
    tools.hand_in(tasks, "buf", worker.buf)
    # The handout of the task calls it comm_log.
    log = getattr(worker, "log", None)
    if log is None or isinstance(log, (list, tuple)) and not log:
        log = getattr(worker, "comm_log", log)
    tasks.text("log", json.dumps(log, default=repr)[:50000])


def call_timed(tools, tasks, task, module):
    """task["trials"] calls, each with the message as it was at first, after a barrier: their seconds, and the last result."""
    import ray.util.collective as collective
    import torch
    clock = time.perf_counter
    kept = tools.given(tasks, task["msg"])
    message = kept.clone()
    worker = made_worker(tools, task, module, message)
    buffer, method = worker.buf, tools.member(worker, task["function"], "Worker")
    seconds, returned = [], None
    for _ in range(task["trials"]):
        worker.msg, worker.buf = message.copy_(kept), buffer
        collective.barrier(GROUP)
        begin = clock()
        returned = method(*task["args"])
        seconds.append(clock() - begin)
    leave_group()
    tools.hand_in(tasks, "return", returned)
    tools.hand_in(tasks, "seconds", torch.tensor(seconds, dtype=torch.float64))
