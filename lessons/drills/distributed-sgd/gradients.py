import torch
import torch.distributed as dist


def distributed_sgd(model, inputs, targets, batch_size, step_size, steps):
    rank, size = dist.get_rank(), dist.get_world_size()
    for parameter in model.parameters():
        dist.broadcast(parameter.data, src=0)
    share = len(inputs) // size
    inputs = inputs[rank * share:(rank + 1) * share]
    targets = targets[rank * share:(rank + 1) * share]
    optimizer = torch.optim.SGD(model.parameters(), lr=step_size)
    loss_of = torch.nn.MSELoss()
    for step in range(steps):
        begin = step * batch_size
        end = begin + batch_size
        optimizer.zero_grad()
        loss_of(model(inputs[begin:end]), targets[begin:end]).backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
            parameter.grad /= size
        optimizer.step()
