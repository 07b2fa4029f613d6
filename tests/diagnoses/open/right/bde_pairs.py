import ray, torch
import ray.util.collective as col

@ray.remote
class Bde:
    def __init__(self, rank, n):
        self.rank, self.n = rank, n
        col.init_collective_group(n, rank, "gloo", "bde")
    def allreduce(self):
        x, k = torch.tensor([self.rank + 1.0]), 1
        while k < self.n:
            peer, y = self.rank ^ k, torch.zeros(1)
            if self.rank < peer:
                col.send(x, peer, "bde"); col.recv(y, peer, "bde")
            else:
                col.recv(y, peer, "bde"); col.send(x, peer, "bde")
            x, k = x + y, k * 2
        return x.item()

ray.init()
print(ray.get([w.allreduce.remote() for w in [Bde.remote(r, 4) for r in range(4)]]))
