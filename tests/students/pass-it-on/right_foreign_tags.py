import numpy as np
import torch
from torch import distributed


class Relay:
    tag = 42

    def __init__(self, rank, size):
        self.before = [rank - 1] if rank > 0 else []
        self.after = [rank + 1] if rank + 1 < size else []
        self.rank = rank
        self.cell = np.zeros((1, 1), dtype=np.int64)

    def run(self, value):
        self.cell[:] = value
        shared = torch.from_numpy(self.cell)
        for peer in self.before:
            distributed.recv(shared, peer, tag=self.tag)
            self.cell += self.rank
        for peer in self.after:
            distributed.send(shared, peer, tag=self.tag)
        return int(self.cell.sum())


def pass_it_on(rank, world_size, value):
    return Relay(rank, world_size).run(value)
