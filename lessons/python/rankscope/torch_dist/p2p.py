"""send, recv, isend, irecv and batches of them."""
from .. import _native
from .._comm import Request
from .._places import here
from . import groups, overlooked
from .work import Work


class SelfSend(_native.UsageError):
    """A rank that sends to itself, or receives from itself."""
    __module__ = "rankscope"


def _peer(group, rank, own_number, call, what):
    """The group's own number of the other side."""
    if own_number is not None:
        own_number = _native.as_rank(own_number, "%s: group_%s" % (call, what))
        if rank is not None:
            raise _native.UsageError("%s: give %s (a global rank) or group_%s (a rank of the group), not both."
                                     % (call, what, what))
        peer = own_number
    elif rank is None:
        raise _native.UsageError("%s: to which rank? Give %s." % (call, what))
    else:
        peer = group.local_rank(rank, what)
    if peer == group.comm.rank:
        _refuse_self(group, peer, call, what)
    return peer


def _refuse_self(group, peer, call, what):
    group.comm.note(_native.SELF_SEND, peer)
    kind = "destination" if what == "dst" else "source"
    raise SelfSend("%s: rank %d is this rank itself. Invalid %s rank: %s rank should not be the same as the rank of "
                   "the current process. Copy the tensor instead, and check how %s is computed."
                   % (call, group.ranks[peer], kind, kind, what))


def _checked(call, tensor, group, rank, own_number, what):
    """(our group, the other side's number in it, the tensor's memory); None on a rank that is not in the group."""
    group = groups.resolve(group, call)
    if group is None:
        return None
    peer = _native.ANY
    if what == "dst" or rank is not None or own_number is not None:
        peer = _peer(group, rank, own_number, call, what)
    groups.check_tensor(tensor, "tensor")
    groups.check_contiguous(group, call, peer, tensor)
    return group, peer, groups.memory_of(tensor, group)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Sends a tensor and waits until its receiver takes it."""
    if overlooked.on:
        return overlooked.send(tensor, group, dst, group_dst)
    checked = _checked("send", tensor, group, dst, group_dst, "dst")
    if checked is not None:
        group, peer, memory = checked
        comm, where = group.comm, here()
        comm.finish(comm.start_send(memory, peer, tag, _native.BLOCKING, where), tensor, where)


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receives into a tensor; gives the (global) rank of the sender. Without src: from any rank."""
    if overlooked.on:
        return overlooked.recv(tensor, group, src, group_src)
    checked = _checked("recv", tensor, group, src, group_src, "src")
    if checked is None:
        return -1
    group, peer, memory = checked
    comm, where = group.comm, here()
    status = comm.finish(comm.start_receive(memory, peer, tag, _native.BLOCKING, where), tensor, where)
    return group.ranks[status.source]


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Starts a send; the tensor must not be changed before the result's wait()."""
    if overlooked.on:
        return overlooked.start_send("isend", tensor, group, dst, group_dst)
    checked = _checked("isend", tensor, group, dst, group_dst, "dst")
    if checked is None:
        return None
    group, peer, memory = checked
    return Work(Request(group.comm, group.comm.start_send(memory, peer, tag), tensor), [tensor])


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Starts a receive; the tensor must not be read before the result's wait()."""
    if overlooked.on:
        return overlooked.start_receive("irecv", tensor, group, src, group_src)[0]
    checked = _checked("irecv", tensor, group, src, group_src, "src")
    if checked is None:
        return None
    group, peer, memory = checked
    return Work(Request(group.comm, group.comm.start_receive(memory, peer, tag), tensor), [tensor])


class P2POp:
    """One operation of batch_isend_irecv."""

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op is not isend and op is not irecv:
            raise _native.UsageError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                                     "``torch.distributed.irecv``.")
        groups.check_tensor(tensor, "tensor")
        if (peer is None) == (group_peer is None):
            raise _native.UsageError("P2POp: give peer (a global rank) or group_peer (a rank of the group).")
        self.op = op
        self.tensor = tensor
        self.peer = peer
        self.group = group
        self.tag = tag
        self.group_peer = group_peer


def batch_isend_irecv(p2p_op_list):
    """Starts all operations of the list; gives a Work for each."""
    if not isinstance(p2p_op_list, list) or not p2p_op_list or \
            not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise _native.UsageError("Invalid ``p2p_op_list``. It is a list, not empty, of torch.distributed.P2POp.")
    if any(op.group is not p2p_op_list[0].group for op in p2p_op_list):
        raise _native.UsageError("batch_isend_irecv: all operations need to use the same group.")
    works = [op.op(op.tensor, op.peer, op.group, op.tag, op.group_peer) for op in p2p_op_list]
    return [work for work in works if work is not None]
