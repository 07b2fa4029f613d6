import ray, torch
import ray.util.collective as col
from ray.util.collective import types

@ray.remote
class M:
    def __init__(self, rank):
        col.init_collective_group(4, rank, "gloo", "m")
        self.msg = torch.tensor([rank + 1.0])
    def go(self):
        col.allreduce(self.msg, group_name="m", op=types.ReduceOp.PRODUCT)
        return self.msg.item()

ray.init()
print(ray.get([m.go.remote() for m in [M.remote(r) for r in range(4)]]))
