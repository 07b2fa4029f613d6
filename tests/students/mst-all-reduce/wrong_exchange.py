# exercise: mst-all-reduce
# verdict: wrong
# mistake: doubling exchange in place of a tree
# expect: N log2 N messages by exchange, not 2(N-1) along a tree
# hangs: no
# worlds: 4,8
# values: right
# note: for sizes that are no power of two it takes a binomial tree and is right
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
        if n & (n - 1):
            return self._binomial()
        step = 1
        while step < n:
            peer = me ^ step
            if me < peer:
                self.do_send(peer)
                self.do_recv(peer)
            else:
                self.do_recv(peer)
                self.do_send(peer)
            self.msg += self.buf
            step *= 2
        return self.msg

    def _binomial(self):
        n, me = self.world_size, self.rank
        step = 1
        while step < n:
            if me % (2 * step) == step:
                self.do_send(me - step)
            elif me % (2 * step) == 0 and me + step < n:
                self.msg += self.do_recv(me + step)
            step *= 2
        while step > 1:
            step //= 2
            if me % (2 * step) == 0 and me + step < n:
                self.do_send(me + step)
            elif me % (2 * step) == step:
                self.msg.copy_(self.do_recv(me - step))
        return self.msg
