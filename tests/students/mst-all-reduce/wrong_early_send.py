# exercise: mst-all-reduce
# verdict: wrong
# mistake: a rank sends up before its children have reported
# expect: partial sums get lost: sends before it has received from all its children
# hangs: no
# worlds: 4,5,8
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

    def mst_all_reduce(self):
        n, me = self.world_size, self.rank
        low = me & -me if me else 1 << n.bit_length()
        children = [me + (1 << k) for k in range(n.bit_length()) if (1 << k) < low and me + (1 << k) < n]
        if me:
            self.do_send(me - low)
        for c in reversed(children):
            self.do_recv(c)
            self.msg += self.buf
        if me:
            self.do_recv(me - low)
            self.msg.copy_(self.buf)
        for c in reversed(children):
            self.do_send(c)
        return self.msg
