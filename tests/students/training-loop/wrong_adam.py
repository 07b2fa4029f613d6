import torch
import torch.distributed as dist
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class Trainer:
    def __init__(self, model, step_size):
        self.model, self.criterion = model, nn.MSELoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=step_size)
        start = parameters_to_vector(model.parameters()).detach()
        dist.broadcast(start, src=0)
        vector_to_parameters(start, model.parameters())

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y)
        loss.backward()
        # the gradients and the loss travel in one message
        parts = [p.grad.reshape(-1) for p in self.model.parameters()] + [loss.detach().reshape(1)]
        bucket = torch.cat(parts)
        dist.all_reduce(bucket)
        bucket /= dist.get_world_size()
        at = 0
        for p in self.model.parameters():
            p.grad.copy_(bucket[at:at + p.numel()].view_as(p))
            at += p.numel()
        self.optimizer.step()
        return bucket[-1]


def train(model, inputs, targets, batch_size, step_size, steps):
    n, r = dist.get_world_size(), dist.get_rank()
    x, y = inputs.tensor_split(n)[r].split(batch_size), targets.tensor_split(n)[r].split(batch_size)
    trainer = Trainer(model, step_size)
    return [trainer.step(x[k], y[k]) for k in range(steps)]
