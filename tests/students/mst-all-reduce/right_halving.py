# exercise: mst-all-reduce
# verdict: right
# hangs: no
import torch
import ray.util.collective as col


class Worker:
    """One rank of a group. Its message, a buffer for what it receives, and a log."""

    def __init__(self, world_size, rank, group_name):
        self.world_size, self.rank, self.group_name = world_size, rank, group_name
        self.msg = self.buf = None
        self.log = []
        col.init_collective_group(world_size, rank, "gloo", group_name)

    def do_send(self, target):
        col.send(self.msg, target, group_name=self.group_name)
        self.log.append(["send", self.rank, target])
        return self.msg

    def do_recv(self, source):
        col.recv(self.buf, source, group_name=self.group_name)
        self.log.append(["recv", self.rank, source])
        return self.buf

    def do_send_recv(self, source, target):
        if self.rank == source:
            return self.do_send(target)
        if self.rank == target:
            return self.do_recv(source)
        return None

    def _reduce(self, lo, hi):
        if hi - lo == 1:
            return
        mid = (lo + hi + 1) // 2
        if self.rank < mid:
            self._reduce(lo, mid)
        else:
            self._reduce(mid, hi)
        if self.rank == mid:
            self.do_send(lo)
        elif self.rank == lo:
            self.do_recv(mid)
            self.msg.add_(self.buf)

    def _broadcast(self, lo, hi):
        if hi - lo == 1:
            return
        mid = (lo + hi + 1) // 2
        if self.rank == lo:
            self.do_send(mid)
        elif self.rank == mid:
            self.do_recv(lo)
            self.msg.copy_(self.buf)
        if self.rank < mid:
            self._broadcast(lo, mid)
        else:
            self._broadcast(mid, hi)

    def mst_all_reduce(self):
        self._reduce(0, self.world_size)
        self._broadcast(0, self.world_size)
        return self.msg
