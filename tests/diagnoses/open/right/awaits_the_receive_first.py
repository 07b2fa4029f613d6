import ray, torch
import ray.util.collective as col

@ray.remote
class P:
    def __init__(self, rank):
        col.init_collective_group(2, rank, "gloo", "p")
        self.t = torch.tensor([rank + 1.0])
    def send(self):
        col.send(self.t, 1, "p")
    def recv(self):
        col.recv(self.t, 0, "p")
        return self.t.item()

ray.init()
a, b = P.remote(0), P.remote(1)
a.send.remote()
print(ray.get(b.recv.remote()))
