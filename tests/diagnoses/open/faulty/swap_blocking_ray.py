import ray, torch
import ray.util.collective as col

@ray.remote
class G:
    def __init__(self, rank):
        self.rank = rank
        col.init_collective_group(2, rank, "gloo", "g2")
    def swap(self):
        mine, theirs = torch.tensor([self.rank + 1.0]), torch.zeros(1)
        if True:
            col.send(mine, 1 - self.rank, "g2")
            col.recv(theirs, 1 - self.rank, "g2")
        else:
            col.recv(theirs, 1 - self.rank, "g2")
            col.send(mine, 1 - self.rank, "g2")
        return theirs.item()

ray.init()
gs = [G.remote(i) for i in range(2)]
print(ray.get([g.swap.remote() for g in gs]))
