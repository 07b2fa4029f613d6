"""Communicators between two groups: each rank sends to, and receives from, ranks of the other group."""

from . import _world
from ._communicators import Comm, Group, Intracomm
from ._errors import failed
from ._operations import ops
from ._requests import ANY_SOURCE, ANY_TAG, PROC_NULL, ROOT

_made = {}  # the ranks of both groups -> how many intercommunicators they have made


class Intercomm(Comm):
    """`_comm` has the ranks of both groups, one group after the other."""

    @classmethod
    def _between(cls, mine, other):
        """Between two lists of world ranks, called by all of them."""
        if set(mine) & set(other):
            raise failed("ERR_COMM", "the two groups of an intercommunicator have no rank in common")
        ranks = sorted([mine, other])[0] + sorted([mine, other])[1]
        number = _made[tuple(ranks)] = _made.get(tuple(ranks), 0) + 1
        world = _world.there(_world.World())
        made, apart = (cls(world.group(ranks, f"{what} {number} of {ranks}", "Create_intercomm"))
                       for what in ("intercomm", "collectives of intercomm"))
        for one in (made, apart):
            one._mine, one._other = mine, other
            one._here, one._away = (0, len(mine)) if ranks[:len(mine)] == mine else (len(other), 0)
        made._apart = apart  # so that a receive from anybody takes no message of a collective
        return made

    def Get_rank(self):
        return self._alive().rank - self._here

    def Get_size(self):
        return len(self._mine)

    def Get_remote_size(self):
        return len(self._other)

    def Get_group(self):
        return Group(self._mine, self._mine[self.rank])

    def Get_remote_group(self):
        return Group(self._other)

    rank, size, remote_size = property(Get_rank), property(Get_size), property(Get_remote_size)
    group, remote_group = property(Get_group), property(Get_remote_group)

    def Is_inter(self):
        return True

    def Is_intra(self):
        return False

    is_inter, is_intra = property(Is_inter), property(Is_intra)

    def Dup(self, info=None):
        return self._between(self._mine, self._other)

    Clone = Dup

    def Merge(self, high=False):
        """The communicator of both groups; the ranks of the low one come first."""
        highs = self._gather(bool(high), 0, "allgather")
        last = bool(high) if highs[self._here] != highs[self._away] else self._here > 0
        return Intracomm(self._comm.split(0, self._comm.rank + (self._comm.size if last else 0), "Merge"))

    # ---- messages ----

    def _there(self):
        self._joined = self._alive()
        return self._joined  # without its quick calls, whose ranks are those of both groups

    def _rank(self, rank, what):
        if rank in what:
            return rank
        if not 0 <= rank < len(self._other):
            raise failed("ERR_RANK", f"{rank}; the other group has ranks 0 to {len(self._other) - 1}")
        return rank + self._away

    def _noted(self, status):
        if status is not None and status.source >= 0:
            status.source -= self._away

    def recv(self, buf=None, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        got = super().recv(buf, source, tag, status)
        self._noted(status)
        return got

    def Recv(self, buf, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        super().Recv(buf, source, tag, status)
        self._noted(status)

    # ---- collectives of objects: each group gets what comes of the other one's ----

    def _of_the_other(self, obj):
        return self._gather(obj, 0, "allgather")[self._away:self._away + len(self._other)]

    def allgather(self, sendobj):
        return self._of_the_other(sendobj)

    def allreduce(self, sendobj, op=ops["SUM"]):
        return self._reduced("allreduce", op, self._of_the_other(sendobj), sendobj)

    def alltoall(self, sendobj):
        return [row[self.rank] for row in self._of_the_other(list(sendobj))]

    def gather(self, sendobj, root=0):
        if root == ROOT:
            return [self._apart.recv(source=rank) for rank in range(len(self._other))]
        if root != PROC_NULL:
            self._apart.send(sendobj, root)
        return None

    def reduce(self, sendobj, op=ops["SUM"], root=0):
        every = self.gather(sendobj, root)
        return None if every is None else self._reduced("reduce", op, every, sendobj)

    def bcast(self, obj, root=0):
        return self.scatter([obj] * len(self._other), root)

    def scatter(self, sendobj, root=0):
        if root == ROOT:
            for rank, obj in enumerate(sendobj):
                self._apart.send(obj, rank)
            return None
        return None if root == PROC_NULL else self._apart.recv(source=root)


def Create_intercomm(self, local_leader, peer_comm, remote_leader, tag=0):
    """Between this communicator's ranks and those of another one, whose leader has a rank in `peer_comm`."""
    mine = [int(rank) for rank in self._worlds()]
    other = peer_comm.sendrecv(mine, remote_leader, tag, None, remote_leader, tag) if self.rank == local_leader else None
    return Intercomm._between(mine, self._broadcast(other, local_leader))


Intracomm.Create_intercomm = Create_intercomm
