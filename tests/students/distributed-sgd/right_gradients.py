import torch
import torch.distributed as dist
import torch.nn.functional as F


def flat(tensors):
    return torch.cat([t.reshape(-1) for t in tensors])


def distributed_sgd(model, inputs, targets, batch_size, step_size, steps):
    rank, size = dist.get_rank(), dist.get_world_size()
    parameters = list(model.parameters())
    first = flat([p.detach() for p in parameters])
    dist.broadcast(first, src=0)
    torch.nn.utils.vector_to_parameters(first, parameters)
    share = len(inputs) // size
    own = torch.arange(rank * share, (rank + 1) * share)
    optimizer = torch.optim.SGD(parameters, lr=step_size)
    for k in range(steps):
        batch = own[k * batch_size:(k + 1) * batch_size]
        optimizer.zero_grad()
        F.mse_loss(model(inputs[batch]), targets[batch]).backward()
        slopes = flat([p.grad for p in parameters])
        dist.all_reduce(slopes)
        slopes /= size
        at = 0
        for p in parameters:
            p.grad = slopes[at:at + p.numel()].view_as(p).clone()
            at += p.numel()
        optimizer.step()
