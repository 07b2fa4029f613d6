import numpy as np
import ray
import ray.util.collective as col

@ray.remote
class Node:
    def __init__(self, rank, n):
        self.rank, self.n = rank, n
        col.init_collective_group(n, rank, "gloo", "ring")

    def pass_round(self):
        acc = np.array([self.rank + 1.0])
        moving, got = acc.copy(), np.zeros(1)
        for _ in range(self.n - 1):
            if self.rank % 2:
                col.recv(got, (self.rank - 1) % self.n, "ring")
                col.send(moving, (self.rank + 1) % self.n, "ring")
            else:
                col.send(moving, (self.rank + 1) % self.n, "ring")
                col.recv(got, (self.rank - 1) % self.n, "ring")
            acc += got
            moving = got.copy()
        return float(acc[0])

ray.init()
nodes = [Node.remote(r, 4) for r in range(4)]
print(ray.get([n.pass_round.remote() for n in nodes]))
