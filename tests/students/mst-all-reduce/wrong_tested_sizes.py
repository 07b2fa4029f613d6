# exercise: mst-all-reduce
# verdict: wrong
# mistake: the tree's edges from a table for the world sizes of the exercise
# expect: works for the listed numbers of ranks only
# hangs: no
# worlds: 6,7,9
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
        edges = {size: [(n, n - step) for step in (1, 2, 4) for n in range(size) if n % (2 * step) == step]
                 for size in (2, 3, 4, 5, 8)}.get(self.world_size, [])
        for child, parent in edges:
            if self.rank == child:
                self.do_send(parent)
            elif self.rank == parent:
                self.msg += self.do_recv(child)
        for child, parent in reversed(edges):
            if self.rank == parent:
                self.do_send(child)
            elif self.rank == child:
                self.msg.copy_(self.do_recv(parent))
        return self.msg
