import ray, torch
import ray.util.collective as col

@ray.remote
class A:
    def __init__(self, rank):
        self.rank = rank
        col.init_collective_group(3, rank, "gloo", "r")
    def go(self):
        t = torch.tensor([self.rank + 1.0])
        col.reduce(t, dst_rank=1, group_name="r")
        return t.item() if self.rank == 1 else None

ray.init()
print(ray.get([a.go.remote() for a in [A.remote(r) for r in range(3)]])[1])
