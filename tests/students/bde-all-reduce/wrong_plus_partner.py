# exercise: bde-all-reduce
# verdict: wrong
# mistake: partner (rank + 2^k) mod N in place of XOR
# expect: wrong partner: the two do not exchange with each other
# hangs: no
# worlds: 3,4,5,8
# note: for 4 and 8 ranks the values are right and only the partners are wrong; for 3 and 5 the values are wrong, too
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
        n, me = self.world_size, self.rank
        k = 1
        while k < n:
            to, frm = (me + k) % n, (me - k) % n
            if (me // k) % 2 == 0:
                self.do_send(to)
                self.do_recv(frm)
            else:
                self.do_recv(frm)
                self.do_send(to)
            self.msg += self.buf
            k *= 2
        return self.msg
