# exercise: bde-all-reduce
# verdict: wrong
# mistake: the higher partner adds before it sends
# expect: the data of the lower partner are counted twice
# hangs: no
# worlds: 2,3,4,5,8
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
        p = 1 << (self.world_size.bit_length() - 1)
        if self.rank >= p:
            self.do_send(self.rank - p)
            self.msg.copy_(self.do_recv(self.rank - p))
            return self.msg
        if self.rank + p < self.world_size:
            self.msg += self.do_recv(self.rank + p)
        k = 1
        while k < p:
            peer = self.rank ^ k
            if self.rank < peer:
                self.do_send(peer)
                self.msg += self.do_recv(peer)
            else:
                self.msg += self.do_recv(peer)
                self.do_send(peer)
            k *= 2
        if self.rank + p < self.world_size:
            self.do_send(self.rank + p)
        return self.msg
