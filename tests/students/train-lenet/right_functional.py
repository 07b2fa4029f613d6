import torch
import torch.distributed as dist
import torch.nn.functional as F

NAMES = ["conv1", "conv2", "fc1", "fc2", "fc3"]


def lenet(w, x):
    """The network written out, of a dictionary of weights."""
    x = F.avg_pool2d(torch.tanh(F.conv2d(x, w["conv1.weight"], w["conv1.bias"], padding=2)), 2)
    x = F.avg_pool2d(torch.tanh(F.conv2d(x, w["conv2.weight"], w["conv2.bias"])), 2)
    x = x.reshape(len(x), -1)
    x = torch.tanh(F.linear(x, w["fc1.weight"], w["fc1.bias"]))
    x = torch.tanh(F.linear(x, w["fc2.weight"], w["fc2.bias"]))
    return F.linear(x, w["fc3.weight"], w["fc3.bias"])


def train_lenet(model, train, test, batch_size, step_size, steps, after_step):
    """Weights in a dictionary, written back into the model after each step; each rank samples from its own share."""
    rank, size = dist.get_rank(), dist.get_world_size()
    weights = {name: p.detach().clone() for name, p in model.named_parameters()}
    for name in weights:
        dist.broadcast(weights[name], 0)
    generator = torch.Generator().manual_seed(1000 + rank)
    for _ in range(steps):
        mine = torch.randperm(len(train) // size, generator=generator)[:batch_size] * size + rank
        x, y = train[mine]
        leaves = {name: w.requires_grad_() for name, w in weights.items()}
        gradients = torch.autograd.grad(F.cross_entropy(lenet(leaves, x), y), list(leaves.values()))
        with torch.no_grad():
            for (name, w), g in zip(leaves.items(), gradients):
                new = w - step_size * g
                dist.all_reduce(new, op=dist.ReduceOp.SUM)
                weights[name] = new / size
        model.load_state_dict(weights)
        after_step()
    with torch.no_grad():
        predictions = torch.cat([lenet(weights, test[i:i + 20][0]).argmax(1) for i in range(0, len(test), 20)])
    return sum(int(predictions[i]) == test[i][1] for i in range(len(test))) / len(test)
