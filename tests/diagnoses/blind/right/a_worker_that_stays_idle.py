import ray, torch
import ray.util.collective as col

@ray.remote
class W:
    def __init__(self, name):
        self.name = name
    def join(self, n, rank):
        col.init_collective_group(n, rank, "gloo", "two")
    def add(self, v):
        t = torch.tensor([float(v)])
        col.allreduce(t, "two")
        return t.item()
    def who(self):
        return self.name

ray.init()
a, b, spare = (W.remote(n) for n in ("a", "b", "spare"))
ray.get([a.join.remote(2, 0), b.join.remote(2, 1)])
print(ray.get([a.add.remote(3), b.add.remote(4)]), ray.get(spare.who.remote()))
