# exercise: mst-all-reduce
# verdict: wrong
# mistake: self.msg is bound to new tensors, not written in place
# expect: not in place: the tensor that was given as msg keeps its values
# hangs: no
# worlds: 2,3,4,5,8
# note: the value of self.msg and of the return are right; debatable if a grader looks at self.msg only
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
        step = 1
        while step < n:
            if me % (2 * step) == step:
                self.do_send(me - step)
            elif me % (2 * step) == 0 and me + step < n:
                self.msg = self.msg + self.do_recv(me + step)
            step *= 2
        while step > 1:
            step //= 2
            if me % (2 * step) == 0 and me + step < n:
                self.do_send(me + step)
            elif me % (2 * step) == step:
                self.msg = self.do_recv(me - step).clone()
        return self.msg
