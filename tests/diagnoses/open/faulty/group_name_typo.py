import ray, torch
import ray.util.collective as col

@ray.remote
class B:
    def __init__(self, rank):
        self.rank = rank
        col.init_collective_group(2, rank, "gloo", "workers")
    def go(self):
        t = torch.ones(2)
        col.allreduce(t, "worker" if self.rank else "workers")
        return t.tolist()

ray.init()
print(ray.get([b.go.remote() for b in [B.remote(0), B.remote(1)]]))
