import torch
import torch.distributed as dist


class BinomialTree:
    def __init__(self, rank, size):
        self.parent = None
        self.children = []
        step = 1
        while step < size:
            if rank & step:
                self.parent = rank - step
                break
            if rank + step < size:
                self.children.append(rank + step)
            step *= 2


class AllReduce:
    def __init__(self):
        self.tree = BinomialTree(dist.get_rank(), dist.get_world_size())

    def __call__(self, data):
        part = torch.empty_like(data)
        for child in self.tree.children:
            dist.recv(part, child, None, 1)
            data += part
        if self.tree.parent is not None:
            dist.send(data, self.tree.parent, None, 1)
            dist.recv(data, self.tree.parent, None, 2)
        for child in reversed(self.tree.children):
            dist.send(data, child, None, 2)


def my_allreduce(tensor):
    data = tensor.contiguous()
    AllReduce()(data)
    if data is not tensor:
        tensor.copy_(data)
    return tensor
