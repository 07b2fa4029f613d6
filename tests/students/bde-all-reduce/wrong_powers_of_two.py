# exercise: bde-all-reduce
# verdict: wrong
# mistake: no fold: partners beyond the last rank are left out
# expect: only powers of two: sums are incomplete for other sizes
# hangs: no
# worlds: 3,5
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

    def bde_all_reduce(self):
        k = 1
        while k < self.world_size:
            peer = self.rank ^ k
            if peer < self.world_size:
                if self.rank < peer:
                    self.do_send(peer)
                    self.do_recv(peer)
                else:
                    self.do_recv(peer)
                    self.do_send(peer)
                self.msg += self.buf
            k *= 2
        return self.msg
