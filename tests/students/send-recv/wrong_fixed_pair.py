# exercise: send-recv
# verdict: wrong
# mistake: ranks 0 and 1 hard-coded in do_send_recv
# expect: source and target are ignored: 0 sends to 1 whatever was asked
# hangs: no
# worlds: 2,3,4,5,8
import torch
import ray.util.collective as col


class Worker:
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
        if self.rank == 0:
            return self.do_send(1)
        if self.rank == 1:
            return self.do_recv(0)
        return None
