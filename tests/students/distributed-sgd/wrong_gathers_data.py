import torch
import torch.distributed as dist
import torch.nn.functional as F


def to_all(tensor, source):
    rank, size = dist.get_rank(), dist.get_world_size()
    for other in range(size):
        if other == source:
            continue
        if rank == source:
            dist.send(tensor, other)
        elif rank == other:
            dist.recv(tensor, source)


def distributed_sgd(model, inputs, targets, batch_size, step_size, steps):
    rank, size = dist.get_rank(), dist.get_world_size()
    for p in model.parameters():
        to_all(p.data, 0)
    x, y = [t.clone() for t in inputs.chunk(size)], [t.clone() for t in targets.chunk(size)]
    for source in range(size):
        to_all(x[source], source)
        to_all(y[source], source)
    for k in range(steps):
        rows = slice(k * batch_size, (k + 1) * batch_size)
        loss = sum(F.mse_loss(model(a[rows]), b[rows]) for a, b in zip(x, y)) / size
        for p, slope in zip(model.parameters(), torch.autograd.grad(loss, list(model.parameters()))):
            p.data -= step_size * slope
