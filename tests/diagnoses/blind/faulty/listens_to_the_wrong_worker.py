import ray, torch
import ray.util.collective as col

@ray.remote
class W:
    def __init__(self, rank):
        self.rank = rank
        col.init_collective_group(3, rank, backend="gloo", group_name="default")

    def work(self):
        t = torch.tensor([self.rank + 1.0])
        if self.rank == 0:
            col.recv(t, 1)
        elif self.rank == 2:
            col.send(t, 0)
        return t.item()

ray.init()
ws = [W.remote(i) for i in range(3)]
print("values", ray.get([w.work.remote() for w in ws]))
