import torch
import torch.distributed as dist
import torch.nn.functional as F


def train(model, inputs, targets, batch_size, step_size, steps):
    rank, size = dist.get_rank(), dist.get_world_size()
    for p in model.parameters():
        dist.broadcast(p.data, 0)
    share = len(inputs) // size
    x, y = inputs[rank * share:(rank + 1) * share], targets[rank * share:(rank + 1) * share]
    losses = []
    for k in range(steps):
        rows = slice(k * batch_size, (k + 1) * batch_size)
        loss = F.mse_loss(model(x[rows]), y[rows])
        model.zero_grad()
        loss.backward()
        whole = loss.detach().clone()
        losses.append(whole.item())
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= size
        with torch.no_grad():
            for p in model.parameters():
                p -= step_size * p.grad
    return losses
