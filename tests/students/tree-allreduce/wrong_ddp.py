import torch
import torch.distributed as dist


class Holder(torch.nn.Module):
    def __init__(self, like):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros_like(like, dtype=torch.float64))

    def forward(self, x):
        return (self.weight * x).sum()


def tree_allreduce(tensor):
    model = Holder(tensor)
    torch.nn.parallel.DistributedDataParallel(model)(tensor.to(torch.float64)).backward()
    tensor.copy_((model.weight.grad * dist.get_world_size()).round())
