"""torch.distributed on rankscope: the functions of the real one, rebound.

install() is called right after torch.distributed.distributed_c10d was loaded; what everybody imports from there is
then ours. Types (ReduceOp, ProcessGroup, Work ...) and the questions about groups (get_rank, get_world_size ...)
stay torch's own. torch's rendezvous and its TCPStore are not used: ranks find each other through `rankscope exec`.
"""
import os
import sys
from datetime import timedelta
from urllib.parse import parse_qs, urlparse

from .. import _native, _session
from . import groups

_group_number = 0


def install(c10d):
    from . import collectives, missing, objects, p2p
    groups.c10d = c10d
    for module, names in ((p2p, ("send", "recv", "isend", "irecv", "P2POp", "batch_isend_irecv")),
                          (collectives, collectives.NAMES), (objects, objects.NAMES),
                          (sys.modules[__name__], ("init_process_group", "destroy_process_group", "new_group"))):
        for name in names:
            setattr(c10d, name, getattr(module, name))
            exported = getattr(c10d, "__all__", None)
            if exported is not None and not name.startswith("_") and name not in exported:
                exported.append(name)
    missing.install(c10d)


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None,
                       group_name="", pg_options=None, device_id=None):
    """Joins the run as a rank, and waits for all others."""
    global _group_number
    if timeout is not None and not isinstance(timeout, timedelta):
        raise _native.UsageError("Expected timeout argument to be of type datetime.timedelta")
    if groups.c10d.GroupMember.WORLD is not None:
        if groups.c10d.GroupMember.WORLD.comm.session.open:
            raise _native.UsageError("trying to initialize the default process group twice! Call "
                                     "destroy_process_group() before the second init_process_group.")
        groups.remove_all()  # groups that a fork kept of its parent
    _check_backend(backend)
    if store is not None and init_method is not None:
        raise _native.UsageError("Cannot specify both init_method and store.")
    rank, world_size, key = _rendezvous(init_method, store, rank, world_size)
    if not 0 <= rank < world_size:
        raise _native.UsageError("init_process_group: rank=%d is not among the ranks 0 to %d (world_size=%d)."
                                 % (rank, world_size - 1, world_size))
    session = _session.join(rank, world_size, key, "torch")
    _group_number = 0
    world = groups.Group(session.world, list(range(world_size)), "default")
    groups.add_group(world)
    groups.set_default(world)
    groups.c10d._backend = "gloo"


def _check_backend(backend):
    if backend is None:
        return
    kinds = {kind.rpartition(":")[2].strip().lower() for kind in str(backend).split(",")}
    if "gloo" not in kinds and kinds != {"undefined"}:
        raise _native.UsageError("backend=%r is not available: rankscope has \"gloo\" alone, since its ranks are "
                                 "processes on CPUs. Call init_process_group(\"gloo\"), and use CPU tensors.%s"
                                 % (str(backend), " For the functions of MPI there is mpi4py." if "mpi" in kinds else ""))


def _rendezvous(init_method, store, rank, world_size):
    """(rank, world size, key): ranks with the same key form one world."""
    if store is not None:
        host, port, path = getattr(store, "host", None), getattr(store, "port", None), getattr(store, "path", None)
        return rank, world_size, "%s:%s" % (host, port) if port else "store:%s" % path
    if init_method is None or init_method == "env://":
        return _of_environment("env://", rank, world_size)
    url = urlparse(init_method)
    query = {name: int(values[0]) for name, values in parse_qs(url.query).items() if values[0].isdigit()}
    rank = query.get("rank", rank) if rank < 0 else rank
    world_size = query.get("world_size", world_size) if world_size < 0 else world_size
    if url.scheme == "env":
        return _of_environment(init_method, rank, world_size)
    if url.scheme not in ("tcp", "file"):
        raise _native.UsageError("init_method=%r: there are env://, tcp://127.0.0.1:29500 and file:///tmp/name."
                                 % init_method)
    for name, value in (("rank", rank), ("world_size", world_size)):
        if value < 0:
            raise _native.UsageError("Error initializing torch.distributed using %s:// rendezvous: %s parameter "
                                     "missing; give it to init_process_group." % (url.scheme, name))
    return rank, world_size, url.netloc if url.scheme == "tcp" else "file:" + (url.netloc + url.path)


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


def destroy_process_group(group=None):
    """Leaves the run if it is the world's group; ends the use of any other group."""
    c10d = groups.c10d
    if group is not None and group == c10d.GroupMember.NON_GROUP_MEMBER:
        return
    world = c10d.GroupMember.WORLD
    if world is None:
        raise _native.UsageError("destroy_process_group: there is no process group (init_process_group was not "
                                 "called, or it was destroyed before).")
    if group is None or group is world:
        groups.remove_all()
        world.comm.session.leave()
        return
    if group not in c10d._pg_map:
        raise _native.UsageError("Invalid process group specified")
    groups.remove_group(group)
    group.comm.free()


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False,
              group_desc=None, device_id=None):
    """Makes a group of some ranks. Every rank of the world must call it, even one outside of the group."""
    global _group_number
    _check_backend(backend)
    world = groups.default_group()
    members = sorted(ranks) if ranks is not None else list(world.ranks)
    if len(set(members)) != len(members):
        raise _native.UsageError("new_group: a rank is named twice in %s." % members)
    outside = [rank for rank in members if not 0 <= rank < world.comm.size]
    if outside or not members:
        raise _native.UsageError("The new group's rank should be within the world_size set by init_process_group: "
                                 "the ranks are 0 to %d, not %s." % (world.comm.size - 1, outside or "none"))
    inside = world.comm.rank in members
    comm = world.comm.split(0 if inside else -1, world.comm.rank, "new_group")
    _group_number += 1
    if not inside:
        return groups.c10d.GroupMember.NON_GROUP_MEMBER
    if comm.size != len(members):
        raise _native.UsageError("new_group: this rank named the ranks %s, but %d ranks named themselves members. "
                                 "Give the same list on every rank." % (members, comm.size))
    group = groups.Group(comm, members, str(_group_number))
    groups.add_group(group)
    return group
