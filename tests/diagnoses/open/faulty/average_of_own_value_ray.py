import ray, torch
import ray.util.collective as col

@ray.remote
class T:
    def __init__(self, rank):
        col.init_collective_group(3, rank, "gloo", "t")
        self.g = torch.tensor([rank * 6.0])
    def average(self):
        col.barrier("t")
        self.g = self.g / 3
        return self.g.item()

ray.init()
print(ray.get([t.average.remote() for t in [T.remote(r) for r in range(3)]]))
