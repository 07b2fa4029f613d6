import torch
import torch.distributed as dist


class Link:
    def __init__(self, place, length):
        self.prev = place - 1 if place else None
        self.next = place + 1 if place + 1 < length else None
        self.place = place

    def take(self, cell):
        if self.prev is not None:
            dist.recv(tensor=cell, src=self.prev, group=None, tag=0)
            cell.add_(self.place)

    def give(self, cell):
        if self.next is not None:
            dist.send(tensor=cell, dst=self.next, group=None, tag=0)


def pass_it_on(rank, world_size, value):
    cell = torch.full((1,), value, dtype=torch.double)
    link = Link(rank, world_size)
    link.take(cell)
    link.give(cell)
    return cell[0].item()
