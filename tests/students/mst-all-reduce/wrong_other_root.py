# exercise: mst-all-reduce
# verdict: wrong
# mistake: the tree's root is the last rank
# expect: the sum goes to the last rank, not to rank 0
# hangs: no
# worlds: 2,3,4,5,8
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

    def mst_all_reduce(self):
        """Afterwards self.msg holds the sum over all ranks, on every rank. Returns it."""
        n = self.world_size
        me = n - 1 - self.rank
        step = 1
        while step < n:
            if me % (2 * step) == step:
                self.do_send(n - 1 - (me - step))
            elif me % (2 * step) == 0 and me + step < n:
                self.msg += self.do_recv(n - 1 - (me + step))
            step *= 2
        while step > 1:
            step //= 2
            if me % (2 * step) == 0 and me + step < n:
                self.do_send(n - 1 - (me + step))
            elif me % (2 * step) == step:
                self.msg.copy_(self.do_recv(n - 1 - (me - step)))
        return self.msg
