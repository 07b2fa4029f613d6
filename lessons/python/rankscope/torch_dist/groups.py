"""Process groups: a subclass of torch's own class with one of our communicators behind it."""
import sys

import torch
from torch._C._distributed_c10d import ProcessGroup

from .. import _memory, _native
from . import checks, meeting
from .collectives import Collectives
from .p2p import Messages

error_hook = None  # what shows this process's errors
_waited = False    # whether the call of new_group that is under way has waited for all ranks


def begin_new_group():
    """Notes for the trace that this rank calls new_group, where that does not wait for all ranks."""
    global _waited
    _waited = False
    if not _waits_for_all() and checks.c10d.GroupMember.WORLD is not None:
        world().comm.note(_native.GROUP_MADE, -1)


def has_waited():
    return _waited


def world():
    """The group of all ranks; torch's own error where there is none."""
    return checks.c10d._get_default_group()


def create(options, _=None):
    """Makes a group for torch's register_backend."""
    return Group(options.store, options.group_rank, options.group_size, options.timeout,
                 ranks=options.global_ranks_in_group, title=options.group_id)


class Group(Messages, Collectives, ProcessGroup):
    """A process group of torch. `ranks` are its global ranks, in its own order."""

    def __init__(self, store, rank, size, timeout=None, *_, ranks=None, title=None, **__):
        global _waited
        ProcessGroup.__init__(self, rank, size)
        if ranks is None:  # releases that call the constructor do not say it
            caller = sys._getframe(1).f_locals
            ranks, title = caller.get("global_ranks_in_group", []), caller.get("group_name", "")
        self.ranks = list(ranks) or list(range(size))
        self.title = title or "default"
        self.comm = self._first(store, rank, size) if not ranks else self._further(store, rank, size)
        self._coalesced = None
        self._number = 0
        self.left_alone = []  # messages of torch's own code
        _waited = True

    @staticmethod
    def _first(store, rank, size):
        global error_hook
        session = meeting.take_session() or meeting.session_of_store(store, rank, size)
        error_hook = sys.excepthook
        return session.world

    def _further(self, store, rank, size):
        parent = world().comm
        if _waits_for_all():
            comm = parent.split(0, parent.rank, "new_group")
            if comm.size != size:
                raise _native.UsageError("new_group: this rank named the ranks %s, but %d ranks named themselves "
                                         "members. Every rank calls new_group once for each group, also for groups "
                                         "that it is not in, and in one order: in a loop over all groups."
                                         % (self.ranks, comm.size))
            return comm
        named = store.compare_set("rankscope", "", str(self.ranks)).decode()
        if named != str(self.ranks):
            raise _native.UsageError(
                "new_group: this rank makes its group number %s of the ranks %s, another rank its own of %s. Every rank "
                "calls new_group once for each group, also for groups that it is not in, and in one order."
                % (self.title, self.ranks, named))
        return parent.group(self.ranks, self.title, "new_group")

    # ---- what torch asks a group ----

    def name(self):
        return "gloo"

    def getBackendName(self):
        """The name for C++, which takes a group of the name "gloo" for its own class."""
        return "rankscope"

    def _get_backend_name(self):
        return "gloo"

    def _get_backend(self, device):
        return self

    @property
    def _device_types(self):
        return [torch.device("cpu")]

    @property
    def supports_splitting(self):
        return False

    @property
    def supports_coalescing(self):
        return False

    @property
    def group_name(self):
        return self.title

    def _set_group_name(self, name):
        self.title = name

    def getGroupName(self):
        return self.title

    def setGroupName(self, name):
        self.title = name

    @property
    def group_desc(self):
        return getattr(self, "_description", "")

    def _set_group_desc(self, text):
        self._description = text

    def getGroupDesc(self):
        return self.group_desc

    def setGroupDesc(self, text):
        self._description = text

    def _set_sequence_number_for_group(self):
        self._number = 0

    def _get_sequence_number_for_group(self):
        return self._number

    def set_timeout(self, timeout):
        """Is not needed: ranks that wait for each other get an error at once."""

    setTimeout = _set_default_timeout = set_timeout

    def shutdown(self):
        """destroy_process_group ends the group."""

    abort = shutdown

    def __repr__(self):
        return "<process group %s of ranks %s>" % (self.title, self.ranks)

    def checked_rank(self, rank, what):
        """A rank of the group that exists."""
        rank = _native.as_rank(rank, what)
        if not 0 <= rank < self.comm.size:
            raise _native.UsageError("%s: rank %d does not exist in a group of %d ranks (0 to %d). Leave the message out, "
                                     "on both sides, where there is no such rank, or take the number modulo size."
                                     % (what, rank, self.comm.size, self.comm.size - 1))
        return rank

    def memory_of(self, tensor):
        return _memory.of_tensor(tensor, self.comm.session.full_trace)


def _waits_for_all():
    """Returns whether new_group waits for all ranks in this release, or by its environment variable in newer ones."""
    return checks.is_first_release() or checks.c10d._is_barrier_after_init() == 1
