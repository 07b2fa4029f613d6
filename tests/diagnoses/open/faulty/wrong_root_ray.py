import ray, torch
import ray.util.collective as col

@ray.remote
class D:
    def __init__(self, rank):
        self.rank = rank
        col.init_collective_group(3, rank, "gloo", "d")
    def go(self):
        t = torch.tensor([self.rank + 7.0])
        col.broadcast(t, self.rank % 2, "d")
        return t.item()

ray.init()
print(ray.get([d.go.remote() for d in [D.remote(i) for i in range(3)]]))
