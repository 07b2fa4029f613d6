# exercise: send-recv
# verdict: wrong
# mistake: uses the library's broadcast in place of one message
# expect: a built-in broadcast is called; all ranks take part
# hangs: no
# worlds: 2,3,4,5,8
# values: right
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
        if self.rank == source:
            col.broadcast(self.msg, source, self.group_name)
            self.log.append(["send", self.rank, target])
            return self.msg
        data = self.buf if self.rank == target else torch.empty_like(self.buf)
        col.broadcast(data, source, self.group_name)
        if self.rank == target:
            self.log.append(["recv", self.rank, source])
            return self.buf
        return None
