import torch
import torch.distributed as dist


class Range:
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __len__(self):
        return self.hi - self.lo

    def split(self):
        mid = self.lo + (len(self) + 1) // 2
        return Range(self.lo, mid), Range(mid, self.hi)


class Broadcaster:
    def __init__(self, src):
        self.src = src
        self.size = dist.get_world_size()
        self.place = (dist.get_rank() - src + self.size) % self.size

    def real(self, place):
        return (place + self.src) % self.size

    def run(self, data):
        part = Range(0, self.size)
        while len(part) > 1:
            near, far = part.split()
            if self.place == near.lo:
                dist.send(data, self.real(far.lo))
            if self.place == far.lo:
                dist.recv(data, self.real(near.lo))
            part = near if self.place < far.lo else far


def my_broadcast(tensor, src=0):
    data = tensor.detach().contiguous()
    Broadcaster(src).run(data)
    if data is not tensor:
        tensor.copy_(data)
    return tensor
