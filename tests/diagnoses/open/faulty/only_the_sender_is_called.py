import ray, torch
import ray.util.collective as col

@ray.remote
class Peer:
    def __init__(self, rank):
        col.init_collective_group(2, rank, "gloo", "p")
        self.t = torch.tensor([rank + 5.0])
    def send(self, dst):
        col.send(self.t, dst, "p")
    def recv(self, src):
        col.recv(self.t, src, "p")
        return self.t.item()

ray.init()
p = [Peer.remote(i) for i in range(2)]
ref = p[0].send.remote(1)
print("done", ray.get(ref))
