"""The sum of all workers' messages: up a tree to rank 0, and down the same tree."""
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

    def mst_all_reduce(self):
        rank, size = self.rank, self.world_size
        step = 1
        while step < size:
            if rank % (2 * step) == step:
                self.do_send(rank - step)
            elif rank % (2 * step) == 0 and rank + step < size:
                self.msg += self.do_recv(rank + step)
            step *= 2
        step = size // 2
        while step >= 1:
            if rank % (2 * step) == 0 and rank + step < size:
                self.do_send(rank + step)
            elif rank % (2 * step) == step:
                self.msg.copy_(self.do_recv(rank - step))
            step //= 2
        return self.msg
