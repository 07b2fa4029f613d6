import ray
import torch
import ray.util.collective as col

WORLD = 4

@ray.remote
class Trainer:
    def __init__(self, rank):
        col.init_collective_group(WORLD, rank, "gloo", "train")
        self.grad = torch.tensor([float(rank)])

    def ready(self):
        return True

    def sync(self):
        col.allreduce(self.grad, group_name="train")
        return self.grad.item()

ray.init()
trainers = [Trainer.remote(r) for r in range(WORLD)]
ray.get([t.ready.remote() for t in trainers])
refs = [t.sync.remote() for t in trainers[1:]]
print("gradients:", ray.get(refs))
