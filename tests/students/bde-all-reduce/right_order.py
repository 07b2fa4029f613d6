# exercise: bde-all-reduce
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

    def _exchange(self, peer):
        if self.rank < peer:
            self.do_send(peer)
            self.do_recv(peer)
        else:
            self.do_recv(peer)
            self.do_send(peer)
        self.msg += self.buf

    def bde_all_reduce(self):
        """Afterwards self.msg holds the sum over all ranks, on every rank. Returns it."""
        p = 1
        while p * 2 <= self.world_size:
            p *= 2
        if self.rank >= p:
            self.do_send(self.rank - p)
            self.do_recv(self.rank - p)
            self.msg.copy_(self.buf)
            return self.msg
        extra = self.rank + p
        if extra < self.world_size:
            self.do_recv(extra)
            self.msg += self.buf
        k = 1
        while k < p:
            self._exchange(self.rank ^ k)
            k *= 2
        if extra < self.world_size:
            self.do_send(extra)
        return self.msg
