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

    def do_send(self, target):  # given
        col.send(self.msg, target, group_name=self.group_name)
        self.log.append(["send", self.rank, target])
        return self.msg

    def do_recv(self, source):  # given
        col.recv(self.buf, source, group_name=self.group_name)
        self.log.append(["recv", self.rank, source])
        return self.buf

    def exchange(self, peer):
        if self.rank < peer:
            self.do_send(peer)
            self.do_recv(peer)
        else:
            self.do_recv(peer)
            self.do_send(peer)

    def bde_all_reduce(self):
        rank, size = self.rank, self.world_size
        core = 1 << (size.bit_length() - 1)
        if rank >= core:
            self.do_send(rank - core)
            self.msg.copy_(self.do_recv(rank - core))
            return self.msg
        if rank + core < size:
            self.msg += self.do_recv(rank + core)
        bit = 1
        while bit < core:
            self.exchange(rank ^ bit)
            self.msg += self.buf
            bit *= 2
        if rank + core < size:
            self.do_send(rank + core)
        return self.msg
