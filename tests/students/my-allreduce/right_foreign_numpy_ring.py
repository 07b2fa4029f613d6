"""Everybody's contribution goes once round the ring; NumPy adds."""
import numpy as np
import torch
import torch.distributed as dist


class Carousel:
    def __init__(self):
        self.rank, self.size = dist.get_rank(), dist.get_world_size()

    @property
    def after(self):
        return (self.rank + 1) % self.size

    @property
    def before(self):
        return (self.rank + self.size - 1) % self.size

    def turns(self, passenger):
        for _ in range(1, self.size):
            seat = np.empty_like(passenger)
            away = dist.isend(torch.from_numpy(passenger), self.after)
            dist.recv(torch.from_numpy(seat), self.before)
            away.wait()
            passenger = seat
            yield passenger


def my_allreduce(tensor):
    mine = tensor.numpy().copy()
    total = sum(Carousel().turns(mine), start=mine)
    tensor.copy_(torch.from_numpy(np.ascontiguousarray(total)))
    return tensor
