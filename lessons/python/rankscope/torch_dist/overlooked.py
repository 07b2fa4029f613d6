"""send and recv for a run in which small mistakes are overlooked: messages to oneself arrive, tags are not compared, and
views with gaps are copied.

A grader (see contract.py) runs a program that broke off once more this way, to see what it does right otherwise."""
import collections

from torch._C._distributed_c10d import Work as TorchWork

from .. import _native
from .._comm import Request
from . import groups
from .work import Work

on = False
_to_oneself = collections.deque()  # tensors sent and not yet received


def begin(wanted):
    """Sets whether the following runs overlook small mistakes."""
    global on
    on = wanted
    _to_oneself.clear()


class Own(TorchWork):
    """A message to oneself; `into`: where a receive's data goes."""

    def __init__(self, into=None):
        super().__init__()
        self._into = into

    def wait(self, timeout=None):
        into, self._into = self._into, None
        if into is not None:
            if not _to_oneself:
                raise _native.UsageError("A rank waits for a message of its own that it has not sent.")
            into.copy_(_to_oneself.popleft().reshape(into.shape))
        return True

    def is_completed(self):
        return True


def _peer(group, rank, own_number, what):
    return group.local_rank(rank, what) if own_number is None else own_number


def start_send(call, tensor, group, dst, group_dst):
    """A Work; None on a rank that is not in the group."""
    group = groups.resolve(group, call)
    if group is None:
        return None
    groups.check_tensor(tensor, "tensor")
    packed, peer = tensor.detach().contiguous(), _peer(group, dst, group_dst, "dst")
    if peer == group.comm.rank:
        _to_oneself.append(packed.clone())
        return Own()
    request = Request(group.comm, group.comm.start_send(groups.memory_of(packed, group), peer), packed)
    return Work(request, [tensor])


def start_receive(call, tensor, group, src, group_src):
    """(a Work, our group); (None, None) on a rank that is not in the group."""
    group = groups.resolve(group, call)
    if group is None:
        return None, None
    groups.check_tensor(tensor, "tensor")
    from_anyone = src is None and group_src is None
    peer = _native.ANY if from_anyone else _peer(group, src, group_src, "src")
    if peer == group.comm.rank:
        return Own(tensor), group
    packed = tensor.contiguous()  # the tensor itself, or a copy
    request = Request(group.comm, group.comm.start_receive(groups.memory_of(packed, group), peer, 0), packed)
    return Work(request, [tensor], None if packed is tensor else lambda: tensor.copy_(packed)), group


def send(tensor, group, dst, group_dst):
    work = start_send("send", tensor, group, dst, group_dst)
    if work is not None:
        work.wait()


def recv(tensor, group, src, group_src):
    """The global rank of the sender."""
    work, group = start_receive("recv", tensor, group, src, group_src)
    if work is None:
        return -1
    work.wait()
    return group.ranks[group.comm.rank if isinstance(work, Own) else work.source_rank()]
