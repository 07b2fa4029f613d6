import ray
import torch
import ray.util.collective as col

N = 4

@ray.remote
class Model:
    def __init__(self, rank):
        col.init_collective_group(N, rank, "gloo", "models")
        self.w = torch.tensor([rank * 2.0, 1.0])

    def average_weights(self):
        col.allreduce(self.w, group_name="models")
        return self.w.tolist()

ray.init()
models = [Model.remote(r) for r in range(N)]
for w in ray.get([m.average_weights.remote() for m in models]):
    print("weights", w)
