import torch
import ray.util.collective as col


class Tree:
    def __init__(self, rank, size):
        low = rank & -rank if rank else 1 << size.bit_length()
        self.parent = rank - low if rank else None
        steps = []
        s = 1
        while s < low and rank + s < size:
            steps.append(s)
            s <<= 1
        self.children = [rank + s for s in steps]


class Worker:
    def __init__(self, world_size, rank, group_name):
        self.world_size, self.rank, self.group_name = world_size, rank, group_name
        self.msg = self.buf = None
        self.log = []
        col.init_collective_group(world_size, rank, "gloo", group_name)
        self.tree = Tree(rank, world_size)

    def do_send(self, target):
        col.send(self.msg, target, self.group_name)
        self.log.append(["send", self.rank, target])
        return self.msg

    def do_recv(self, source):
        col.recv(self.buf, source, self.group_name)
        self.log.append(["recv", self.rank, source])
        return self.buf

    def do_send_recv(self, source, target):
        return {source: self.do_send, target: self.do_recv}.get(self.rank, lambda peer: None)(
            target if self.rank == source else source)

    def reduce(self):
        for child in self.tree.children:
            torch.add(self.msg, self.do_recv(child), out=self.msg)
        if self.tree.parent is not None:
            self.do_send(self.tree.parent)

    def broadcast(self):
        if self.tree.parent is not None:
            self.msg[...] = self.do_recv(self.tree.parent)
        for child in self.tree.children[::-1]:
            self.do_send(child)

    def mst_all_reduce(self):
        self.reduce()
        self.broadcast()
        return self.msg
