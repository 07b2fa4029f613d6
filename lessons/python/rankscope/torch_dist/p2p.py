"""Messages of a process group: send, receive, and receive from any rank."""
from .. import _lost, _native
from .._comm import Request
from .._places import here
from . import checks, overlooked
from .work import Done, Work


_MOST_LEFT_ALONE = 256


class SelfSend(_native.UsageError):
    """A rank that sends to itself, or receives from itself."""
    __module__ = "rankscope"


class _Message(Work):
    """The Work of a message."""

    def is_completed(self):
        if not self.has_ended() and super().is_completed():
            checks.polled()
        return self.has_ended()


class Messages:
    """The methods of a process group for messages; ranks are the group's own."""

    def send(self, tensors, peer, tag=0):
        call, later = checks.calling()
        tensor = self._one(tensors)
        if overlooked.on:
            return overlooked.start_send(self, tensor, peer)
        comm, memory = self.comm, self._checked(call or "isend", tensor, peer, "dst")
        if later:
            return self._started(comm.start_send(memory, peer, tag), tensor, later)
        where = here()
        comm.finish(comm.start_send(memory, peer, tag, _native.BLOCKING, where), tensor, where)
        return Done([tensor])

    def recv(self, tensors, peer, tag=0):
        call, later = checks.calling()
        tensor = self._one(tensors)
        if overlooked.on:
            return overlooked.start_receive(self, tensor, peer)
        return self._receive(call or "irecv", later, tensor, peer, self._checked(call or "irecv", tensor, peer, "src"),
                             tag)

    def recv_anysource(self, tensors, tag=0):
        call, later = checks.calling()
        tensor = self._one(tensors)
        if overlooked.on:
            return overlooked.start_receive(self, tensor, _native.ANY)
        checks.check_contiguous(self, call or "irecv", _native.ANY, tensor)
        return self._receive(call or "irecv", later, tensor, _native.ANY, self.memory_of(tensor), tag)

    def _receive(self, call, later, tensor, peer, memory, tag):
        comm = self.comm
        if later != checks.INNER:
            _lost.filled(call, tensor)
        if later:
            return self._started(comm.start_receive(memory, peer, tag), tensor, later)
        where = here()
        status = comm.finish(comm.start_receive(memory, peer, tag, _native.BLOCKING, where), tensor, where)
        return Done([tensor], status.source)

    def _started(self, handle, tensor, later):
        work = _Message(Request(self.comm, handle, tensor), [tensor])
        if later == checks.INNER:
            self.left_alone.append(work)
            if len(self.left_alone) > _MOST_LEFT_ALONE:
                self.end_messages()
        return work

    def end_messages(self):
        """Ends messages of torch's own code, which some releases of pipelining never wait for."""
        self.left_alone = [work for work in self.left_alone if not Work.is_completed(work)]

    def _checked(self, call, tensor, peer, what):
        """Checks a message; returns the tensor's memory."""
        peer = self.checked_rank(peer, what)
        if peer == self.comm.rank:
            self.comm.note(_native.SELF_SEND, peer)
            kind = "destination" if what == "dst" else "source"
            raise SelfSend("%s: rank %d is this rank itself. Invalid %s rank: %s rank should not be the same as the "
                           "rank of the current process. Copy the tensor instead, and check how %s is computed."
                           % (call, self.ranks[peer], kind, kind, what))
        checks.check_contiguous(self, call, peer, tensor)
        return self.memory_of(tensor)

    @staticmethod
    def _one(tensors):
        if len(tensors) != 1:
            raise _native.UsageError("A message is one tensor, not %d." % len(tensors))
        return tensors[0].detach() if tensors[0].requires_grad else tensors[0]
