"""The rank of this process: joined when COMM_WORLD is used for the first time."""

import os
import sys

from rankscope import _advice, _native, _session

_session_of_world = None


class Local:
    """The communicator of COMM_SELF: one rank that exchanges nothing."""

    rank, size, full = 0, 1, False


class World:
    """The communicator of COMM_WORLD, which joins the run at its first use."""

    def __getattr__(self, name):
        return getattr(_join(), name)


def _join():
    global _session_of_world
    if _session_of_world is None:
        size = int(os.environ.get("WORLD_SIZE", "1"))
        rank = int(os.environ.get("RANK", "0"))
        if "WORLD_SIZE" not in os.environ:
            print("rankscope: MPI.COMM_WORLD has one rank; start the program with `rankscope exec -n 4 -- python3 ...`"
                  " to have four", file=sys.stderr)
        _session_of_world = _session.join(rank, size, None, "mpi", None)
        _session_of_world.drains = True
    return _session_of_world.world


def joined():
    return _session_of_world is not None


def there(comm):
    """The communicator, after joining the run if needed."""
    return _join() if type(comm) is World else comm


def _forked():
    """Forgets the world in a forked child, which joins again when it uses COMM_WORLD."""
    global _session_of_world
    _session_of_world = None


os.register_at_fork(after_in_child=_forked)


def end_buffered():
    if joined():
        _session_of_world.end_buffered()


def finalize():
    if joined():
        _session_of_world.leave()


def leave():
    """Leaves the run; the next use of COMM_WORLD joins another one."""
    global _session_of_world
    if joined():
        _session_of_world.leave()
    _session_of_world = None


def abort(code):
    """Ends the whole run: the others are stopped when a rank leaves with an error."""
    print(f"MPI_ABORT was invoked with errorcode {code}.", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        if joined():
            _session_of_world.leave(False, f"MPI_Abort with error code {code}{_advice.caught()}")
    finally:
        os._exit(code & 0xFF or (1 if code else 0))


def run(comm, name, given, wanted, op=0, root=0, background=False):
    """A built-in collective between two memories. One rank alone copies."""
    if comm.size == 1 and isinstance(comm, Local):
        import ctypes
        if given is not None and wanted is not None and given.count and given.data != wanted.data:
            ctypes.memmove(wanted.data, given.data, given.count * _native.ITEM_SIZES[given.dtype])
        return None
    return comm.run_collective(name.encode(), given, wanted, op, root, None, background)


def full(comm):
    return False if isinstance(comm, Local) else there(comm).session.full_trace
