"""One message from a source to a target, with a log."""
import torch
import ray.util.collective as col


class Worker:
    def __init__(self, world_size, rank, group_name):
        self.world_size = world_size
        self.rank = rank
        self.group_name = group_name
        self.msg = None
        self.buf = None
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
        if self.rank == target:
            return self.do_recv(source)
        return self.do_send(target)
