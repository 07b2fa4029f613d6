# exercise: bde-all-reduce
# verdict: wrong
# mistake: delegates to the library's allreduce, as the handout's template
# expect: the built-in allreduce is called
# hangs: no
# worlds: 1,2,3,4,5,8
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

    def bde_all_reduce(self, op=None):
        col.allreduce(self.msg, group_name=self.group_name)
        self.log.append(["bde_all_reduce", self.rank])
        return self.msg
