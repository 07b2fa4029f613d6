"""The stem of a program: one process that has loaded what all copies of the program import, and forks each copy.

To load PyTorch is most of what a small program computes; `rankscope exec -n 8` loads it once. A copy goes on where Python
goes on after sitecustomize: it runs the program as if the program had been started by itself. The other end is
engine/run/conductor/program_host.h.
"""
import ctypes
import fcntl
import gc
import importlib
import os
import socket
import sys

_MOST_TEXT, _MOST_DESCRIPTORS = 1 << 16, 8
_ABOVE = 200  # numbers of descriptors that no copy asks for


def _taken_by_files_of(folder):
    """Returns whether the program would load a file of its folder in place of a module that is loaded already."""
    try:
        names = {name.partition(".")[0] for name in os.listdir(folder)}
    except OSError:
        return True
    return any(name in sys.modules for name in names)


def _load(modules, folder):
    """Returns whether copies can be forked from this process now."""
    try:
        for module in modules:
            importlib.import_module(module)
        return len(os.listdir("/proc/self/task")) == 1 and not _taken_by_files_of(folder)
    except BaseException:  # each copy will say it itself
        return False


def _change_environment(variables):
    for variable in variables:
        name, equals, value = variable.partition("=")
        if equals:
            os.environ[name] = value
        else:
            os.environ.pop(name, None)


def _be_copy(descriptors, numbers):
    """Takes a copy's descriptors, and new random numbers where a fresh process would draw some."""
    own = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, _ABOVE) for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)
    for descriptor, number in zip(own, numbers):
        os.dup2(descriptor, number)
        os.close(descriptor)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()


def _end_early():
    """In the copy: its exit() will not destroy what the libraries loaded so far have made. For PyTorch's table of operators,
    that takes as long as a small program computes. What the program loads itself is still destroyed, and all that C has
    buffered is written."""
    libc = ctypes.CDLL(None)
    try:
        libc.on_exit(libc._exit, None)
        libc.__cxa_atexit(libc.fflush, None, None)  # called before the line above
    except AttributeError:  # only the GNU C library has both
        pass


def _fork(channel, text, descriptors):
    """Forks a copy; returns True in the copy. It is a grandchild, so the command adopts it, and waits for it."""
    numbers, *variables = os.fsdecode(text).split("\0")
    _change_environment(variables)
    reads, writes = os.pipe()
    between = os.fork()
    if between == 0:
        copy = os.fork()
        if copy == 0:
            channel.close()
            os.close(reads)
            os.close(writes)
            _be_copy(descriptors, [int(number) for number in numbers.split(",") if number])
            _end_early()
            return True
        os.setpgid(copy, copy)
        os.write(writes, b"%d" % copy)
        os._exit(0)
    for descriptor in (writes, *descriptors):
        os.close(descriptor)
    copy = os.read(reads, 32)
    os.close(reads)
    os.waitpid(between, 0)
    channel.send(copy or b"-1")
    return False


def grow():
    """Returns in each copy. The process itself ends here, when the command is done with it."""
    channel = socket.socket(fileno=int(os.environ.pop("RANKSCOPE_STEM")))
    modules, folder = os.environ.pop("RANKSCOPE_STEM_LOADS").split(","), os.environ.pop("RANKSCOPE_STEM_FOLDER")
    if not _load(modules, folder):
        os._exit(1)
    gc.freeze()  # a copy need not go through them all when it ends
    try:
        channel.send(b"ready")
        while True:
            text, descriptors, _, _ = socket.recv_fds(channel, _MOST_TEXT, _MOST_DESCRIPTORS)
            if not text:
                break
            if _fork(channel, text, descriptors):
                return
    except OSError:  # no process can be made, or the command is gone
        pass
    os._exit(0)
