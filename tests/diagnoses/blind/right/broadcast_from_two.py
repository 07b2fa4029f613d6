import ray, torch
import ray.util.collective as col

@ray.remote
class P:
    def __init__(self, r):
        self.r = r
        col.init_collective_group(3, r, "gloo", "b")
    def run(self):
        t = torch.tensor([100.0 * self.r])
        col.broadcast(t, src_rank=2, group_name="b")
        col.barrier("b")
        return t.item()

ray.init()
print(ray.get([p.run.remote() for p in [P.remote(r) for r in range(3)]]))
