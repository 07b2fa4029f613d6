import ray, torch
import ray.util.collective as col

@ray.remote
class A:
    def __init__(self, rank):
        col.init_collective_group(3, rank, "gloo", "g")
        self.t = torch.ones(1)
    def ready(self):
        return True
    def sum(self):
        col.allreduce(self.t, "g")
        return self.t.item()

ray.init()
actors = [A.remote(r) for r in range(3)]
ray.get([a.ready.remote() for a in actors])
results = [ray.get(a.sum.remote()) for a in actors]
print(results)
