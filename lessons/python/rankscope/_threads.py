"""Threads that a program leaves behind when its function returns: they would go on in the next call, with its tensors."""
import os
import sys
import threading
import time

from . import _session

_END = 1.0     # seconds in which threads may end by themselves
_PAUSE = 0.012  # seconds between two looks; a thread waiting for Python's lock wakes up every 0.005 s


def kernel_threads():
    """This process's threads by number: whether one sleeps, and how often it has given up the processor."""
    out = {}
    for number in map(int, os.listdir("/proc/self/task")):
        try:
            with open("/proc/self/task/%d/status" % number, encoding="utf-8", errors="replace") as file:
                fields = dict(line.split(":\t", 1) for line in file.read().split("\n") if ":\t" in line)
        except (FileNotFoundError, ProcessLookupError):
            continue
        out[number] = (fields["State"][0] == "S",
                       int(fields["voluntary_ctxt_switches"]) + int(fields["nonvoluntary_ctxt_switches"]))
    return out


def _unknown_to_threading():
    return set(sys._current_frames()) - {one.ident for one in threading.enumerate()}


def await_end(function, before):
    """Waits for the threads that `function` (a name) started; RuntimeError for one that goes on. `before`: the numbers of
    kernel_threads() at the start of the call. Threads that run no Python are not reported."""
    end = time.monotonic() + _END
    for thread in _session.program_threads():
        if thread is threading.current_thread():
            continue
        thread.join(max(0, end - time.monotonic()))
        if thread.is_alive():
            raise RuntimeError("%s returned, and a thread that it started goes on (%s): join() it before returning"
                               % (function, thread.name))
    # Those that `threading` does not know, as long as they run Python. One that has just been started, by _thread, has
    # no Python frame yet: only the kernel knows it until it has had the processor and Python's lock. A library's own
    # thread sleeps, and goes on sleeping.
    last = {}
    while True:
        known = set(before) | {one.native_id for one in threading.enumerate()}
        new = {number: state for number, state in kernel_threads().items() if number not in known}
        hidden = _unknown_to_threading()
        if not hidden and all(state[0] and last.get(number) == state for number, state in new.items()):
            return
        if time.monotonic() > end:
            if not hidden:
                return
            raise RuntimeError("%s returned, and a thread that it started goes on (by _thread): let it end before "
                               "the return" % function)
        last = new
        time.sleep(_PAUSE)
