# exercise: mst-all-reduce
# verdict: wrong
# mistake: partner by XOR, without a check that it exists
# expect: only powers of two: rank without partner
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

    def mst_all_reduce(self):
        n, me = self.world_size, self.rank
        bits = n.bit_length() - 1
        for k in range(bits):
            if me & ((1 << k) - 1) == 0:
                peer = me ^ (1 << k)
                if me > peer:
                    self.do_send(peer)
                elif peer < n:
                    self.do_recv(peer)
                    self.msg += self.buf
        for k in reversed(range(bits)):
            if me & ((1 << k) - 1) == 0:
                peer = me ^ (1 << k)
                if me < peer < n:
                    self.do_send(peer)
                elif me > peer:
                    self.do_recv(peer)
                    self.msg.copy_(self.buf)
        return self.msg
