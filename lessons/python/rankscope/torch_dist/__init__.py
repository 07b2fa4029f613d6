"""torch.distributed on rankscope: under `rankscope exec`, torch's backend "gloo" is a group of ours.

install() is called right after torch.distributed.distributed_c10d was loaded. Where the release lets a backend's name be
registered again, Backend.register_backend does it; releases that refuse (1.13 to about 2.14) name the constructor
ProcessGroupGloo in their code, which is then replaced. Everything else is torch's own: functions, groups and their
names, stores, DistributedDataParallel, DTensor, FSDP.

A registered group cannot see all that a run needs, so eight functions are wrapped: init_process_group (keeps errors in our
words), rendezvous (ranks meet through `rankscope exec`), new_group (a rank outside of the new group constructs nothing),
_store_based_barrier (releases that wait there for all ranks poll a store, where no deadlock would be noticed),
_create_process_group_wrapper (TORCH_DISTRIBUTED_DEBUG=DETAIL wraps groups of C++ alone; what it checks, every run checks),
_check_not_self_rank (newer releases refuse messages to oneself before the trace hears of them; the group refuses them
itself), _warn_not_in_group (notes it for the run's report) and destroy_process_group (ends the rank's part).
"""
import atexit
import functools
import sys

from .. import _lost, _native, _notes, _places
from . import checks, groups, meeting, training


def install(c10d):
    checks.c10d = c10d
    _register(c10d)
    for name, wrapped in (("init_process_group", _init_process_group), ("new_group", _new_group),
                          ("destroy_process_group", _destroy_process_group),
                          ("_warn_not_in_group", _warn_not_in_group)):
        real = getattr(c10d, name, None)
        if real is not None:
            setattr(c10d, name, _wrapped(real, wrapped))
    meeting.real_rendezvous = c10d.rendezvous
    c10d.rendezvous = meeting.rendezvous
    c10d._store_based_barrier = _wait_for_all
    c10d._create_process_group_wrapper = _unwrapped
    c10d._check_not_self_rank = lambda *_: None


def _wrapped(real, ours):
    @functools.wraps(real)
    def call(*args, **kwargs):
        return ours(real, *args, **kwargs)
    return call


def _register(c10d):
    backend = c10d.Backend
    kinds, devices = (getattr(backend, name, {}).get("gloo") for name in ("backend_type_map", "backend_capability"))
    try:
        backend.register_backend("gloo", groups.create, extended_api=True, devices=devices or ["cpu"])
        backend.backend_type_map["gloo"] = kinds
    except (AssertionError, TypeError):
        pass  # this release calls the constructor
    c10d.ProcessGroupGloo = groups.Group


def _warn_not_in_group(real, op_name, *args, **kwargs):
    place = _places.innermost()
    if place is not None:
        _notes.remark(place, "%s on a group that this rank is not in does nothing" % op_name,
                      "torch returns at once, with a warning, and the rank's tensors stay as they are.",
                      "Make the call on the group's ranks only, or pass the group of this rank.", harmless=True)
    real(op_name, *args, **kwargs)


def _init_process_group(real, backend=None, *args, **kwargs):
    c10d = checks.c10d
    world = c10d.GroupMember.WORLD
    if isinstance(world, groups.Group) and not world.comm.session.open:
        c10d.destroy_process_group()  # groups that a fork kept of its parent
    _check_backend(backend)
    try:
        real(*(() if backend is None else (backend,)), *args, **kwargs)
    finally:
        meeting.forget()
    training.watch()
    atexit.register(training.report)  # after the session's own, and so before it
    # Newer releases put "[rank0]:" before each line of an error; ours has its rank already.
    if getattr(sys.excepthook, "__module__", None) == c10d.__name__:
        sys.excepthook = groups.error_hook


def _check_backend(backend):
    if backend is None:
        return
    kinds = {kind.rpartition(":")[2].strip().lower() for kind in str(backend).split(",")}
    if "gloo" not in kinds and kinds != {"undefined"}:
        raise _native.UsageError("backend=%r is not available: rankscope has \"gloo\" alone, since its ranks are "
                                 "processes on CPUs. Call init_process_group(\"gloo\"), and use CPU tensors.%s"
                                 % (str(backend), " For the functions of MPI there is mpi4py." if "mpi" in kinds else ""))


def _wait_for_all(*_, **__):
    """The end of new_group in releases that wait there for all ranks, on a rank outside of the group: its members have
    waited when they made it."""
    if checks.c10d.GroupMember.WORLD is not None and not groups.has_waited():
        groups.world().comm.split(-1, 0, "new_group")


def _unwrapped(wrapped_pg, *_, **__):
    return wrapped_pg


def _new_group(real, ranks=None, *args, **kwargs):
    backend = kwargs.get("backend", args[1] if len(args) > 1 else None)
    _check_backend(backend)
    if not kwargs.get("use_local_synchronization"):  # which its members alone call
        groups.begin_new_group()
    ranks = ranks if ranks is None else list(ranks)  # it may be an iterator
    _lost.made_group("new_group", ("destroy_process_group",), ranks)
    return real(ranks, *args, **kwargs)


def _destroy_process_group(real, group=None):
    c10d = checks.c10d
    if c10d.GroupMember.WORLD is None:
        raise _native.UsageError("destroy_process_group: there is no process group (init_process_group was not "
                                 "called, or it was destroyed before).")
    gone = c10d.GroupMember.WORLD if group is None else group
    if gone is c10d.GroupMember.WORLD:
        training.report()
    if isinstance(gone, groups.Group) and gone.comm.session.open:
        for one in list(c10d._pg_map) if group is None or gone is c10d.GroupMember.WORLD else [gone]:
            one.end_messages()
    real(group)
    if not isinstance(gone, groups.Group):
        return
    if c10d.GroupMember.WORLD is None:
        gone.comm.session.leave()
    else:
        gone.comm.free()
