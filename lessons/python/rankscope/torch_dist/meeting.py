"""Lets the ranks of a world meet, and makes the store that they share.

Ranks meet through `rankscope exec`: those that name one address (or one file) form a world, and nobody listens at the
address, so that two runs may name the same one. The store is torch's own FileStore, in the run's folder.
"""
import hashlib
import os
import sys
import tempfile
import time
from urllib.parse import parse_qs, urlparse

from torch._C._distributed_c10d import FileStore, HashStore

from .. import _native, _session

real_rendezvous = None
_session_of_rendezvous = None  # joined, and not yet a process group's


def forget():
    """Leaves a run whose process group was not made."""
    session = take_session()
    if session is not None:
        session.leave(False, "init_process_group failed")


def take_session():
    global _session_of_rendezvous
    session, _session_of_rendezvous = _session_of_rendezvous, None
    return session


def rendezvous(url, rank=-1, world_size=-1, **more):
    """Joins the run as a rank, waits for all others, and yields (store, rank, world size) as torch's own does."""
    global _session_of_rendezvous
    rank, world_size, key = _place(url, rank, world_size)
    if not 0 <= rank < world_size:
        raise _native.UsageError("init_process_group: rank=%d is not among the ranks 0 to %d (world_size=%d)."
                                 % (rank, world_size - 1, world_size))
    folder = _folder()
    if rank == 0 and folder:
        store = _offered(folder, key, world_size)
    _session_of_rendezvous = _session.join(rank, world_size, key, "torch")
    if key.startswith("file:") and folder:
        yield from real_rendezvous(url, rank, world_size, **more)
    elif not folder:
        yield HashStore(), rank, world_size
    elif rank == 0:
        yield store, rank, world_size
    else:
        yield _accepted(folder, key, rank, world_size), rank, world_size


def session_of_store(store, rank, world_size):
    """Joins the run by a store that the program made: its ranks agree on a key in it."""
    time_used = store.add("rankscope/%d" % rank, 1)
    name = "rankscope/key/%d" % time_used
    if rank == 0:
        store.set(name, "store:%d:%d" % (os.getpid(), time.monotonic_ns()))
    return _session.join(rank, world_size, store.get(name).decode(), "torch")


def _place(url, rank, world_size):
    """(rank, world size, key): ranks with the same key form one world."""
    if url == "env://":
        return _of_environment(url, rank, world_size)
    parts = urlparse(url)
    query = {name: int(values[0]) for name, values in parse_qs(parts.query).items() if values[0].isdigit()}
    rank = query.get("rank", rank) if rank < 0 else rank
    world_size = query.get("world_size", world_size) if world_size < 0 else world_size
    if parts.scheme == "env":
        return _of_environment(url, rank, world_size)
    if parts.scheme not in ("tcp", "file"):
        raise _native.UsageError("init_method=%r: there are env://, tcp://127.0.0.1:29500 and file:///tmp/name." % url)
    for name, value in (("rank", rank), ("world_size", world_size)):
        if value < 0:
            raise _native.UsageError("Error initializing torch.distributed using %s:// rendezvous: %s parameter "
                                     "missing; give it to init_process_group." % (parts.scheme, name))
    return rank, world_size, parts.netloc if parts.scheme == "tcp" else "file:" + (parts.netloc + parts.path)


def _of_environment(method, rank, world_size):
    def variable(name):
        value = os.environ.get(name)
        if value is None:
            raise _native.UsageError(
                "Error initializing torch.distributed using %s rendezvous: environment variable %s expected, but not "
                "set. Start all ranks with `rankscope exec -n 4 -- python3 ...`, or set it in the program." %
                (method, name))
        return value
    rank = int(variable("RANK")) if rank < 0 else rank
    world_size = int(variable("WORLD_SIZE")) if world_size < 0 else world_size
    return rank, world_size, "%s:%s" % (variable("MASTER_ADDR"), variable("MASTER_PORT"))


# ---- the store: rank 0 offers one to each rank before it joins, the others take it once all have joined ----

def _folder():
    """The run's folder. Ranks in boxes, in virtual time and in explored runs have none: each has a store of its own."""
    folder = os.path.dirname(os.environ.get("RANKSCOPE_EXEC", ""))
    return folder if os.path.isdir(folder) else None


def _offers(key, rank):
    return "store-%s-%d-" % (hashlib.sha1(key.encode("utf-8", "replace")).hexdigest(), rank)


def _offered(folder, key, world_size):
    path = tempfile.mktemp(prefix="store-", dir=folder)
    for rank in range(1, world_size):
        written = tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8")
        with written:
            written.write(path)
        os.rename(written.name, os.path.join(folder, "%s%020d" % (_offers(key, rank), time.monotonic_ns())))
    return FileStore(path, world_size)


def _accepted(folder, key, rank, world_size):
    """The oldest offer that this rank has not taken: a world that came later under the same key has a newer one."""
    first = os.path.join(folder, min(name for name in os.listdir(folder) if name.startswith(_offers(key, rank))))
    with open(first, encoding="utf-8") as offer:
        path = offer.read()
    os.unlink(first)
    return FileStore(path, world_size)
