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

    def bde_all_reduce(self):
        size = self.world_size
        rounds = size.bit_length() - 1
        core = 2 ** rounds
        for surplus in range(core, size):
            if self.do_send_recv(surplus, surplus - core) is not None and self.rank == surplus - core:
                self.msg.add_(self.buf)
        if self.rank < core:
            for k in range(rounds):
                partner = self.rank ^ 2 ** k
                low, high = min(self.rank, partner), max(self.rank, partner)
                self.do_send_recv(low, high)
                self.do_send_recv(high, low)
                self.msg.add_(self.buf)
        for surplus in range(core, size):
            if self.do_send_recv(surplus - core, surplus) is not None and self.rank == surplus:
                self.msg.copy_(self.buf)
        return self.msg
