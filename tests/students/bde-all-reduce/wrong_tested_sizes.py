# exercise: bde-all-reduce
# verdict: wrong
# mistake: one surplus rank, or two, as the exercise's world sizes have; more are left out
# expect: works for the listed numbers of ranks only
# hangs: no
# worlds: 7,9
# sight: yes
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
        n, me = self.world_size, self.rank
        power, extra = {1: (1, 0), 2: (2, 0), 3: (2, 1), 4: (4, 0), 5: (4, 1), 6: (4, 2), 8: (8, 0)}.get(n, (1, 0))
        if me >= power + extra:
            return self.msg
        if me >= power:
            self.do_send(me - power)
            self.msg.copy_(self.do_recv(me - power))
            return self.msg
        if me < extra:
            self.msg += self.do_recv(me + power)
        step = 1
        while step < power:
            self._exchange(me ^ step)
            step *= 2
        if me < extra:
            self.do_send(me + power)
        return self.msg
