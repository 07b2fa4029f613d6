import math

import ray
import torch
from ray.util import collective as cc


class Peer:
    """The group, seen from one rank."""

    def __init__(self, size, rank, name):
        cc.init_collective_group(size, rank, "gloo", name)
        self.rank, self.name = rank, name

    def give(self, tensor, other):
        cc.send(tensor, other, self.name)

    def take(self, tensor, other):
        cc.recv(tensor, other, self.name)
        return tensor

    def swap(self, mine, box, other):
        first, second = (self.give, self.take) if self.rank > other else (self.take, self.give)
        first(mine if first == self.give else box, other)
        second(mine if second == self.give else box, other)
        return box


class Worker:
    def __init__(self, world_size, rank, group_name):
        self.world_size, self.rank = world_size, rank
        self.peer = Peer(world_size, rank, group_name)
        self.msg = None
        self.buf = None

    def bde_all_reduce(self):
        rounds = int(math.log2(self.world_size)) if self.world_size else 0
        core = 2 ** rounds
        extra = self.world_size - core
        if self.rank >= core:
            self.peer.give(self.msg, self.rank - core)
            self.peer.take(self.msg, self.rank - core)
            return self.msg
        helps = self.rank < extra
        if helps:
            self.msg += self.peer.take(self.buf, self.rank + core)
        for distance in (1 << k for k in range(rounds)):
            torch.add(self.msg, self.peer.swap(self.msg, self.buf, self.rank ^ distance), out=self.msg)
        if helps:
            self.peer.give(self.msg, self.rank + core)
        return self.msg
