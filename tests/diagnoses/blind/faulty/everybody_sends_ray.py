import ray
import torch
from ray.util import collective as col

@ray.remote
class Member:
    def __init__(self, rank, n):
        self.rank, self.n = rank, n
        col.init_collective_group(n, rank, "gloo", "circle")

    def ring(self):
        acc = torch.tensor([1.0 * self.rank])
        moving = acc.clone()
        for _ in range(self.n - 1):
            got = torch.zeros(1)
            if self.rank >= 0:
                col.send(moving, (self.rank + 1) % self.n, "circle")
                col.recv(got, (self.rank - 1) % self.n, "circle")
            else:
                col.recv(got, (self.rank - 1) % self.n, "circle")
                col.send(moving, (self.rank + 1) % self.n, "circle")
            acc += got
            moving = got
        return acc.item()

ray.init()
members = [Member.remote(r, 3) for r in range(3)]
print(ray.get([m.ring.remote() for m in members]))
