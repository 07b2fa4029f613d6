# exercise: distributed-sgd
# verdict: wrong
# mistake: Adam in place of plain gradient descent
# expect: the steps are Adam's
# hangs: no
# worlds: 1,2,3,4,8
# sight: yes
import torch
import torch.distributed as dist
import torch.nn.functional as F


def distributed_sgd(model, inputs, targets, batch_size, step_size, steps):
    rank, size = dist.get_rank(), dist.get_world_size()
    for p in model.parameters():
        dist.broadcast(p.data, 0)
    optimizer = torch.optim.Adam(model.parameters(), lr=step_size)
    share = inputs.shape[0] // size
    x, y = inputs[rank * share:(rank + 1) * share], targets[rank * share:(rank + 1) * share]
    for k in range(steps):
        rows = slice(k * batch_size, (k + 1) * batch_size)
        model.zero_grad()
        F.mse_loss(model(x[rows]), y[rows]).backward()
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= size
        optimizer.step()
