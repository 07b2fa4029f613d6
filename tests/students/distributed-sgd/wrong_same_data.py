# exercise: distributed-sgd
# verdict: wrong
# mistake: every rank uses the first share
# expect: same data on every rank
# hangs: no
# worlds: 2,3,4,8
# sight: yes
import torch
import torch.distributed as dist
import torch.nn.functional as F


def distributed_sgd(model, inputs, targets, batch_size, step_size, steps):
    rank, size = dist.get_rank(), dist.get_world_size()
    for p in model.parameters():
        dist.broadcast(p.data, 0)
    share = inputs.shape[0] // size
    x, y = inputs[:share], targets[:share]
    for k in range(steps):
        rows = slice(k * batch_size, (k + 1) * batch_size)
        model.zero_grad()
        F.mse_loss(model(x[rows]), y[rows]).backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= step_size * p.grad
                dist.all_reduce(p.data)
                p /= size
