import ray, torch
import ray.util.collective as col

@ray.remote
class Half:
    def __init__(self, group, rank):
        self.group = group
        col.init_collective_group(2, rank, "gloo", group)
    def total(self, v):
        t = torch.tensor([v])
        col.allreduce(t, self.group)
        return int(t.item())

ray.init()
low = [Half.remote("low", r) for r in range(2)]
high = [Half.remote("high", r) for r in range(2)]
refs = [h.total.remote(i) for i, h in enumerate(low + high)]
print(ray.get(refs))
