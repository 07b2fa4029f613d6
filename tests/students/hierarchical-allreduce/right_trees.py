import torch
import torch.distributed as dist


class Tree:
    """A binomial tree over ranks first, first + step ... ; this rank's place in it."""

    def __init__(self, first, step, count):
        self.first, self.step, self.count = first, step, count
        self.place = (dist.get_rank() - first) // step

    def rank(self, place):
        return self.first + place * self.step

    def up(self, tensor):
        box, bit = torch.zeros_like(tensor), 1
        while bit < self.count:
            if self.place & bit:
                dist.send(tensor, self.rank(self.place - bit))
                return
            if self.place + bit < self.count:
                dist.recv(box, self.rank(self.place + bit))
                tensor.add_(box)
            bit *= 2

    def down(self, tensor):
        bit = 1
        while bit < self.count and not self.place & bit:
            bit *= 2
        if self.place:
            dist.recv(tensor, self.rank(self.place - bit))
        bit //= 2
        while bit:
            if self.place + bit < self.count:
                dist.send(tensor, self.rank(self.place + bit))
            bit //= 2


def hierarchical_allreduce(tensor, group_size):
    rank, size = dist.get_rank(), dist.get_world_size()
    leader = rank - rank % group_size
    own = Tree(leader, 1, min(group_size, size - leader))
    own.up(tensor)
    if rank == leader:
        among = Tree(0, group_size, -(-size // group_size))
        among.up(tensor)
        among.down(tensor)
    own.down(tensor)
