import ray, torch
import ray.util.collective as col

@ray.remote
class M:
    def __init__(self, rank):
        self.rank = rank
        col.init_collective_group(2, rank, "gloo", "m")
    def set(self, v):
        self.t = torch.tensor([v])
    def sum(self):
        col.allreduce(self.t, "m")
        return self.t.item()

ray.init()
ms = [M.remote(r) for r in range(2)]
for v in (1.0, 5.0):
    for m in ms:
        m.set.remote(v)
    print(ray.get([m.sum.remote() for m in ms]))
