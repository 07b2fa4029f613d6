"""DistributedDataParallel against one process with the whole batch."""
import copy

import torch
import torch.distributed as dist
from refused import refused
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def model_of(seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2))


def loss_of(model, data):
    return (model(data) ** 2).mean()


for cap in (25, 0.0001):  # one bucket; a bucket for each parameter
    model = DDP(model_of(seed=rank), bucket_cap_mb=cap)  # rank 0's parameters count
    reference = model_of(seed=0)
    assert all(a.equal(b) for a, b in zip(model.module.state_dict().values(), reference.state_dict().values()))
    assert list(model.state_dict())[0] == "module.0.weight"
    torch.manual_seed(7)
    data = torch.randn(size, 6, 4)
    for step in range(2):
        model.zero_grad(set_to_none=True)
        reference.zero_grad(set_to_none=True)
        loss_of(model, data[rank]).backward()
        sums = [torch.zeros_like(parameter) for parameter in reference.parameters()]
        for r in range(size):
            one = copy.deepcopy(reference)
            loss_of(one, data[r]).backward()
            for summed, parameter in zip(sums, one.parameters()):
                summed += parameter.grad
        for summed, parameter in zip(sums, model.parameters()):
            assert torch.allclose(parameter.grad, summed / size, atol=1e-6)

# Sums inside no_sync, averaged by the first pass outside.
linear = DDP(torch.nn.Linear(1, 1, bias=False))
with linear.no_sync():
    linear(torch.full((1, 1), float(rank))).sum().backward()
assert linear.module.weight.grad.item() == rank
linear(torch.full((1, 1), 10.0 * rank)).sum().backward()
assert linear.module.weight.grad.item() == 11 * (size - 1) / 2
# The same graph twice: a forward pass is good for one averaging.
linear.zero_grad()
out = linear(torch.full((1, 1), float(rank))).sum()
out.backward(retain_graph=True)
out.backward()
assert linear.module.weight.grad.item() == (size - 1) / 2 + rank

# A parameter that is not used.


class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)

    def forward(self, x):
        return self.used(x)


wrapped = DDP(Two(), bucket_cap_mb=0.000001)
wrapped(torch.ones(1, 1)).sum().backward()
with refused(RuntimeError, "find_unused_parameters=True"):
    wrapped(torch.ones(1, 1))
wrapped = DDP(Two(), find_unused_parameters=True)
for _ in range(2):
    wrapped(torch.ones(1, 1)).sum().backward()
with refused((RuntimeError, ValueError), "device_ids"):
    DDP(torch.nn.Linear(1, 1), device_ids=[rank])
print("rank %d of %d is fine\n" % (rank, size), end="")
