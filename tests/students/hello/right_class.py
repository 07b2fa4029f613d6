import sys

import torch.distributed as dist


class Greeter:
    def __init__(self, group=None):
        self.group = group

    @property
    def rank(self):
        return dist.get_rank(self.group)

    def line(self, name):
        return "Rank {}: Hello, {}!".format(self.rank, name)

    def greet(self, name):
        sys.stdout.write(self.line(name) + "\n")
        sys.stdout.flush()


def hello(rank, world_size, name):
    Greeter().greet(name)
