import ray, torch
import ray.util.collective as col

@ray.remote
class A:
    def __init__(self, rank):
        col.init_collective_group(3, rank, "gloo", "all")
        self.x = torch.tensor([rank * 1.0, 2.0])
    def go(self):
        col.allreduce(self.x, group_name="all")
        return self.x.tolist()

ray.init()
actors = [A.remote(r) for r in range(3)]
print(ray.get([a.go.remote() for a in actors]))
