import torch
import torch.distributed as dist
import torch.nn.functional as F


def distributed_sgd(model, inputs, targets, batch_size, step_size, steps):
    rank, size = dist.get_rank(), dist.get_world_size()
    for p in model.parameters():
        dist.broadcast(p.data, 0)
    share = inputs.shape[0] // size
    x, y = inputs[rank * share:(rank + 1) * share], targets[rank * share:(rank + 1) * share]
    for k in range(steps):
        rows = slice(k * batch_size, (k + 1) * batch_size)
        model.zero_grad()
        F.mse_loss(model(x[rows]), y[rows]).backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= step_size * p.grad
                dist.all_reduce(p.data)
                p /= size
