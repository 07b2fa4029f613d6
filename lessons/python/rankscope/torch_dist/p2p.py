"""send, recv, isend, irecv and batches of them."""
from .. import _memory, _native
from .._comm import Request
from .._places import here
from . import groups
from .work import Work


class SelfSend(_native.UsageError):
    """A rank that sends to itself, or receives from itself."""
    __module__ = "rankscope"


def _peer(group, rank, own_number, call, what):
    """The group's own number of the other side."""
    if own_number is not None:
        if rank is not None:
            raise _native.UsageError("%s: give %s (a global rank) or group_%s (a rank of the group), not both."
                                     % (call, what, what))
        peer = own_number
    elif rank is None:
        raise _native.UsageError("%s: to which rank? Give %s." % (call, what))
    elif group.is_world:
        peer = rank
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


def _send_memory(tensor, group, call, peer):
    groups.check_tensor(tensor, "tensor")
    if not tensor.is_contiguous():
        groups.refuse_not_contiguous(group, call, "tensor", peer)
    return _memory.of_tensor(tensor, group.comm.session.full_trace)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Sends a tensor and waits until its receiver takes it."""
    group = groups.resolve(group, "send")
    if group is None:
        return None
    peer = _peer(group, dst, group_dst, "send", "dst")
    memory = _send_memory(tensor, group, "send", peer)
    comm, where = group.comm, here()
    comm.finish(comm.start_send(memory, peer, tag, _native.BLOCKING, where), tensor, where)
    return None


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receives into a tensor; gives the (global) rank of the sender. Without src: from any rank."""
    group = groups.resolve(group, "recv")
    if group is None:
        return -1
    peer = _native.ANY
    if src is not None or group_src is not None:
        peer = _peer(group, src, group_src, "recv", "src")
    memory = _send_memory(tensor, group, "recv", peer)
    comm, where = group.comm, here()
    status = comm.finish(comm.start_receive(memory, peer, tag, _native.BLOCKING, where), tensor, where)
    return group.ranks[status.source]


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Starts a send; the tensor must not be changed before the result's wait()."""
    group = groups.resolve(group, "isend")
    if group is None:
        return None
    peer = _peer(group, dst, group_dst, "isend", "dst")
    memory = _send_memory(tensor, group, "isend", peer)
    return Work(Request(group.comm, group.comm.start_send(memory, peer, tag), tensor), group, [tensor])


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Starts a receive; the tensor must not be read before the result's wait()."""
    group = groups.resolve(group, "irecv")
    if group is None:
        return None
    peer = _native.ANY
    if src is not None or group_src is not None:
        peer = _peer(group, src, group_src, "irecv", "src")
    memory = _send_memory(tensor, group, "irecv", peer)
    return Work(Request(group.comm, group.comm.start_receive(memory, peer, tag), tensor), group, [tensor])


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
    works = []
    for op in p2p_op_list:
        if op.op is isend:
            work = isend(op.tensor, op.peer, op.group, op.tag, op.group_peer)
        else:
            work = irecv(op.tensor, op.peer, op.group, op.tag, op.group_peer)
        if work is not None:
            works.append(work)
    return works
