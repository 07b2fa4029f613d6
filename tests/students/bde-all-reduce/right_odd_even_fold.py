# exercise: bde-all-reduce
# verdict: right
# hangs: no
import torch
import ray.util.collective as col


class Fold:
    """Of the first 2*surplus ranks the odd ones hand their data to the even ones."""

    def __init__(self, rank, size):
        self.core = 1 << (size.bit_length() - 1)
        self.surplus = size - self.core
        self.twin = None
        self.virtual = rank - self.surplus
        if rank < 2 * self.surplus:
            self.twin = rank ^ 1
            self.virtual = rank // 2 if rank % 2 == 0 else None

    def real(self, virtual):
        return 2 * virtual if virtual < self.surplus else virtual + self.surplus

    def partners(self):
        bit = 1
        while bit < self.core:
            yield self.real(self.virtual ^ bit)
            bit <<= 1


class Worker:
    def __init__(self, world_size, rank, group_name):
        self.world_size, self.rank, self.group_name = world_size, rank, group_name
        self.msg = self.buf = None
        self.log = []
        col.init_collective_group(world_size, rank, "gloo", group_name)

    def do_send(self, target):
        col.send(self.msg, target, self.group_name)
        self.log.append(["send", self.rank, target])
        return self.msg

    def do_recv(self, source):
        col.recv(self.buf, source, self.group_name)
        self.log.append(["recv", self.rank, source])
        return self.buf

    def do_send_recv(self, source, target):
        if self.rank == source:
            return self.do_send(target)
        if self.rank == target:
            return self.do_recv(source)

    def bde_all_reduce(self):
        fold = Fold(self.rank, self.world_size)
        if fold.virtual is None:
            self.do_send(fold.twin)
            self.msg.copy_(self.do_recv(fold.twin))
            return self.msg
        if fold.twin is not None:
            self.msg += self.do_recv(fold.twin)
        for peer in fold.partners():
            actions = [self.do_send, self.do_recv]
            for act in actions if self.rank < peer else reversed(actions):
                act(peer)
            self.msg += self.buf
        if fold.twin is not None:
            self.do_send(fold.twin)
        return self.msg
