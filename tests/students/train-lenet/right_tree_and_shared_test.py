import torch
import torch.distributed as dist
from torch import nn


class Worker:
    """A tree of sends and receives for the sum, and the test pictures shared among the ranks."""

    def __init__(self, model, step_size):
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self.model, self.step_size = model, step_size
        self.loss = nn.CrossEntropyLoss()

    def flat(self):
        return torch.cat([p.data.view(-1) for p in self.model.parameters()])

    def unflatten(self, vector):
        at = 0
        for p in self.model.parameters():
            p.data.copy_(vector[at:at + p.numel()].view_as(p))
            at += p.numel()

    def down(self, tensor):
        """From rank 0 to all, along a binomial tree."""
        distance = 1
        while distance < self.size:
            distance *= 2
        while distance > 1:
            distance //= 2
            if self.rank % (2 * distance) == 0 and self.rank + distance < self.size:
                dist.send(tensor, self.rank + distance)
            elif self.rank % (2 * distance) == distance:
                dist.recv(tensor, self.rank - distance)

    def up(self, tensor):
        distance = 1
        while distance < self.size:
            if self.rank % (2 * distance) == distance:
                dist.send(tensor, self.rank - distance)
                return
            if self.rank % (2 * distance) == 0 and self.rank + distance < self.size:
                other = torch.empty_like(tensor)
                dist.recv(other, self.rank + distance)
                tensor += other
            distance *= 2

    def all_reduce(self, tensor):
        self.up(tensor)
        self.down(tensor)

    def iterate(self, pictures, labels):
        for p in self.model.parameters():
            p.grad = None
        self.loss(self.model(pictures), labels).backward()
        for p in self.model.parameters():
            p.data.add_(p.grad, alpha=-self.step_size)
        x = self.flat()
        self.all_reduce(x)
        self.unflatten(x.div(self.size))


def train_lenet(model, train, test, batch_size, step_size, steps, after_step):
    worker = Worker(model, step_size)
    start = worker.flat()
    worker.down(start)
    worker.unflatten(start)
    for k in range(steps):
        first = (k * worker.size + worker.rank) * batch_size
        worker.iterate(*train[first:first + batch_size])
        after_step()
    right = torch.zeros(1)
    mine = list(range(worker.rank, len(test), worker.size))
    if mine:
        x, y = test[mine]
        right += (model(x).argmax(1) == y).sum()
    worker.all_reduce(right)
    return float(right) / len(test)
