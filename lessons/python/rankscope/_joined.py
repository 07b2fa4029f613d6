"""Lets a process that has loaded the libraries enter a submission's box, where it starts the ranks.

Bubblewrap has made the box as it makes all others, with a program in it that only waits. A fork of this process becomes
the box's user, is put under its limits by the grader, enters its namespaces, and has from then on what the program that
bubblewrap starts has: its rights, its view, its descriptors. All of that before a line of a student's runs.
"""
import ctypes
import gc
import json
import os
import resource
import signal
import socket
import sys
import time

from . import _inner_box

HOST = "RANKSCOPE_HOST"  # the number of the grader's socket; unset when this process was started in its box
_ALL_NAMESPACES = 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x00020000
_PDEATHSIG, _DUMPABLE, _NO_NEW_PRIVS, _DROP_BOUND, _READ_BOUND = 1, 4, 38, 24, 23
_SYS_ADMIN = 21
_ABOVE = 64              # the first descriptor above all that a box's program has
_MOST_ORDER = 1 << 16
_libc = _inner_box._libc


def _prctl(option, value, what):
    number = _inner_box._number
    _inner_box._check(_libc.prctl(option, number(value), number(0), number(0), number(0)), what)


def _keep_rights(kept):
    """Gives up all rights in the box's user namespace except `kept` (-1 for none), for good."""
    for right in range(64):
        if right != kept and _libc.prctl(_READ_BOUND, _inner_box._number(right), 0, 0, 0) == 1:
            _prctl(_DROP_BOUND, right, "cannot give up rights")
    bits = 1 << kept if kept >= 0 else 0
    rights = (ctypes.c_uint32 * 6)(bits, bits, 0, 0, 0, 0)
    _inner_box._check(_libc.capset(ctypes.byref(_inner_box._CapHeader(_inner_box._CAPS_VERSION_3, 0)), rights),
                      "cannot give up rights")


def _limit(which, most):
    """Sets a limit, at most this process's own."""
    own = resource.getrlimit(which)[1]
    if own != resource.RLIM_INFINITY:
        most = min(most, own)
    resource.setrlimit(which, (most, most))


def _become(user, group):
    if user != os.geteuid():
        os.setgroups([])
        os.setresgid(group, group, group)
        os.setresuid(user, user, user)


def _wait_for(child):
    """The process outside of the box's processes that the joined one is a child of: it can do nothing more. It ends with
    that one, which ends with the box, and not before: the box is gone only when somebody has waited for all in it."""
    _prctl(_PDEATHSIG, 0, "cannot wait")
    _prctl(_NO_NEW_PRIVS, 1, "cannot give up rights")
    _keep_rights(-1)
    _prctl(_DUMPABLE, 0, "cannot hide")
    os.closerange(0, os.sysconf("SC_OPEN_MAX"))
    while True:
        try:
            os.waitpid(child, 0)
            os._exit(0)
        except InterruptedError:
            continue


def _arrange(descriptors):
    """Keeps exactly these descriptors, under these numbers."""
    import fcntl
    above = {number: fcntl.fcntl(own, fcntl.F_DUPFD, _ABOVE) for number, own in descriptors.items()}
    for number, own in above.items():
        os.dup2(own, number)
    last = 0
    for number in sorted(above):
        if last < number:  # an empty range from 0 would mean all of them
            os.closerange(last, number)
        last = number + 1
    os.closerange(last, os.sysconf("SC_OPEN_MAX"))


def _fresh_chance():
    """Seeds the random numbers, so that no two submissions draw the same ones."""
    import random  # the libraries have loaded it
    random.seed()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()


def _enter(order, descriptors):
    box, control, out, errors, filter, alive = descriptors
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    parent = os.getppid()
    os.setsid()
    if os.read(control, 16) != b"go":  # by then this process is under the box's limits
        os._exit(1)
    for which, most in order["limits"]:
        _limit(which, most)
    with open("/proc/self/oom_score_adj", "w") as first_to_end:  # ends first when the machine runs out of memory
        first_to_end.write("900")
    _become(order["user"], order["group"])
    _prctl(_PDEATHSIG, signal.SIGKILL, "cannot end with the grader")
    if os.getppid() != parent:
        os._exit(1)
    _inner_box._check(_libc.setns(box, _ALL_NAMESPACES), "cannot enter the box")
    child = os.fork()
    if child:
        _wait_for(child)
    os.setsid()
    nothing = os.open("/dev/null", os.O_RDONLY)
    numbers = order["numbers"]
    _arrange({0: nothing, 1: out, 2: errors, numbers["control"]: control, numbers["filter"]: filter,
              numbers["alive"]: alive})
    os.chdir("/")
    _prctl(_NO_NEW_PRIVS, 1, "cannot give up rights")
    _keep_rights(_SYS_ADMIN)
    if order["processes"]:
        _limit(resource.RLIMIT_NPROC, order["processes"])
    _prctl(_DUMPABLE, 1, "cannot be looked at")
    os.environ.clear()
    os.environ.update(word.split("=", 1) for word in order["environment"])


def _leave_outside():
    """Makes imports find modules as in a process that was started in the box."""
    finder = sys.modules.pop("rankscope_in_box")
    sys.meta_path.remove(finder)
    finder.outside = "/rankscope/python"
    sys.path_importer_cache.clear()
    sys.argv[:] = ["/rankscope/python/rankscope/ranks.py"]


def _why_not_alone():
    """The reason why this process must not be forked; empty if it may."""
    threads = len(os.listdir("/proc/self/task"))
    if threads != 1:
        return "%d threads run after the libraries were loaded" % threads
    shared = _inner_box.shared_memory_of_this_process()
    return "memory would be shared: %s" % shared[0] if shared else ""


def serve(load):
    """Loads the libraries, and returns in each process that has entered a box."""
    host = socket.socket(fileno=int(os.environ.pop(HOST)))
    load()
    gc.collect()
    gc.freeze()
    fault = _why_not_alone()
    host.send(json.dumps({"up": not fault, "fault": fault, "cpu_s": time.process_time()}).encode())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        text, descriptors, _, _ = socket.recv_fds(host, _MOST_ORDER, 16)
        if not text:
            os._exit(0)
        process = os.fork()
        if process == 0:
            try:
                host.close()
                _enter(json.loads(text), descriptors)
                _leave_outside()
                _fresh_chance()
                return
            except BaseException as error:
                os.write(descriptors[3] if len(descriptors) > 3 else 2, ("%s\n" % error).encode())
                os._exit(1)
        for own in descriptors:
            os.close(own)
        host.send(json.dumps({"process": process}).encode())
