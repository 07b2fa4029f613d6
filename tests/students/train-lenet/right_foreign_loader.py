"""A DataLoader over a Subset of every size-th picture, torch's optimizer, averaged gradients in one bucket."""
import itertools

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Subset


class Trainer:
    def __init__(self, model, step_size):
        self.model = model
        self.world = dist.get_world_size()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=step_size, momentum=0.0)
        self.criterion = nn.CrossEntropyLoss()
        for tensor in model.state_dict().values():
            dist.broadcast(tensor, 0)

    def bucket(self):
        return torch._utils._flatten_dense_tensors([p.grad for p in self.model.parameters()])

    def step(self, pictures, labels):
        self.optimizer.zero_grad(set_to_none=False)
        self.criterion(self.model(pictures), labels).backward()
        flat = self.bucket()
        dist.all_reduce(flat)
        flat /= self.world
        at = 0
        for p in self.model.parameters():
            p.grad.copy_(flat[at:at + p.numel()].view_as(p))
            at += p.numel()
        self.optimizer.step()

    @torch.inference_mode()
    def accuracy(self, test):
        self.model.eval()
        right = sum((self.model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, batch_size=20))
        return right / len(test)


def train_lenet(model, train, test, batch_size, step_size, steps, after_step):
    own = Subset(train, range(dist.get_rank(), len(train), dist.get_world_size()))
    trainer = Trainer(model, step_size)
    for pictures, labels in itertools.islice(DataLoader(own, batch_size=batch_size, shuffle=False), steps):
        trainer.step(pictures, labels)
        after_step()
    return trainer.accuracy(test)
