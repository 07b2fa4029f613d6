"""Messages of a run in which small mistakes are overlooked: messages to oneself arrive, tags are not compared, and
views with gaps are copied.

A grader (see contract.py) runs a program that broke off once more this way, to see what it does right otherwise."""
import collections

from .. import _native
from .._comm import Request
from .work import Done, Work

on = False
_to_oneself = collections.deque()  # tensors sent and not yet received


def begin(wanted):
    """Sets whether the following runs overlook small mistakes."""
    global on
    on = wanted
    _to_oneself.clear()


class Own(Done):
    """A message to oneself that is still to be received into `into`."""

    def __init__(self, into, rank):
        super().__init__([into], rank)
        self._into = into

    def wait(self, timeout=None):
        into, self._into = self._into, None
        if into is not None:
            if not _to_oneself:
                raise _native.UsageError("A rank waits for a message of its own that it has not sent.")
            into.copy_(_to_oneself.popleft().reshape(into.shape))
        return True


def start_send(group, tensor, peer):
    packed = tensor.contiguous()
    if group.checked_rank(peer, "dst") == group.comm.rank:
        _to_oneself.append(packed.clone())
        return Done([tensor])
    return Work(Request(group.comm, group.comm.start_send(group.memory_of(packed), peer), packed), [tensor])


def start_receive(group, tensor, peer):
    if peer != _native.ANY and group.checked_rank(peer, "src") == group.comm.rank:
        return Own(tensor, peer)
    packed = tensor.contiguous()  # the tensor itself, or a copy
    request = Request(group.comm, group.comm.start_receive(group.memory_of(packed), peer, 0), packed)
    return Work(request, [tensor], None if packed is tensor else lambda: tensor.copy_(packed))
