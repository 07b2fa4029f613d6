import time
import ray, torch
import ray.util.collective as col

@ray.remote
class W:
    def __init__(self, rank):
        self.rank = rank
        col.init_collective_group(2, rank, "gloo", "w")
    def go(self):
        time.sleep(self.rank * 1.5)
        t = torch.ones(1)
        col.allreduce(t, "w")
        return t.item()

ray.init()
print(ray.get([w.go.remote() for w in [W.remote(r) for r in range(2)]]))
