# exercise: mst-all-reduce
# verdict: wrong
# mistake: every rank sends to rank 0, which sends to all
# expect: flat, not a tree: N-1 rounds a phase instead of log2 N
# hangs: no
# worlds: 4,5,8
# values: right
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
        if self.rank == 0:
            for r in range(1, self.world_size):
                self.do_recv(r)
                self.msg += self.buf
            for r in range(1, self.world_size):
                self.do_send(r)
        else:
            self.do_send(0)
            self.do_recv(0)
            self.msg.copy_(self.buf)
        return self.msg
