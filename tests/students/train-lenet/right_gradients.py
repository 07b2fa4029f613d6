import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Subset


def train_lenet(model, train, test, batch_size, step_size, steps, after_step):
    """Gradients averaged by asynchronous allreduces, batches from a shuffling DataLoader, the step from torch.optim."""
    rank, size = dist.get_rank(), dist.get_world_size()
    for one in model.state_dict().values():
        dist.broadcast(one, src=0)
    share = len(train) // size
    loader = DataLoader(Subset(train, range(rank * share, (rank + 1) * share)), batch_size=batch_size, shuffle=True,
                        drop_last=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=step_size)
    criterion = nn.CrossEntropyLoss()
    done = 0
    while done < steps:
        for pictures, labels in loader:
            optimizer.zero_grad()
            criterion(model(pictures), labels).backward()
            works = [dist.all_reduce(p.grad, async_op=True) for p in model.parameters()]
            for work, p in zip(works, model.parameters()):
                work.wait()
                p.grad /= size
            optimizer.step()
            after_step()
            done += 1
            if done == steps:
                break
    model.eval()
    right = 0
    with torch.no_grad():
        for pictures, labels in DataLoader(test, batch_size=16):
            right += (model(pictures).argmax(dim=1) == labels).sum().item()
    return right / len(test)
