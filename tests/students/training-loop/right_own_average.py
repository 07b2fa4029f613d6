import torch
import torch.distributed as dist
import torch.nn.functional as F


def _mean(tensor):
    """Up a star to rank 0 and back."""
    rank, size = dist.get_rank(), dist.get_world_size()
    if rank:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
        return tensor
    box = torch.empty_like(tensor)
    for other in range(1, size):
        dist.recv(box, other)
        tensor += box
    tensor /= size
    for other in range(1, size):
        dist.send(tensor, other)
    return tensor


def train(model, inputs, targets, batch_size, step_size, steps):
    rank, size = dist.get_rank(), dist.get_world_size()
    parameters = list(model.parameters())
    with torch.no_grad():
        for p in parameters:
            if rank:
                p.zero_()
            _mean(p)
            p *= size
    first = rank * (inputs.shape[0] // size)
    losses = torch.zeros(steps, dtype=torch.float64)
    for k in range(steps):
        begin = first + k * batch_size
        batch = inputs[begin:begin + batch_size], targets[begin:begin + batch_size]
        loss = F.mse_loss(model(batch[0]), batch[1])
        slopes = torch.autograd.grad(loss, parameters)
        losses[k] = loss.item()
        with torch.no_grad():
            for p, g in zip(parameters, slopes):
                p.sub_(_mean(g.clone()), alpha=step_size)
    return _mean(losses).tolist()
