# exercise: mst-all-reduce
# verdict: wrong
# mistake: tree written out for 8 ranks
# expect: works for 8 ranks only
# hangs: no
# worlds: 1,2,3,4,5
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

    UP = [[(1, 0), (3, 2), (5, 4), (7, 6)], [(2, 0), (6, 4)], [(4, 0)]]

    def mst_all_reduce(self):
        for r in self.UP:
            for a, b in r:
                if self.rank == a:
                    self.do_send(b)
                elif self.rank == b:
                    self.msg += self.do_recv(a)
        for r in reversed(self.UP):
            for a, b in r:
                if self.rank == b:
                    self.do_send(a)
                elif self.rank == a:
                    self.msg.copy_(self.do_recv(b))
        return self.msg
