import ray, torch
import ray.util.collective as col

@ray.remote
class N:
    def __init__(self, rank):
        col.init_collective_group(3, rank, "gloo", "n")
        self.t = torch.tensor([rank * 8.0])
    def send(self, to):
        col.send(self.t, to, "n")
    def recv(self, frm):
        col.recv(self.t, frm, "n")
        return self.t.item()

ray.init()
ns = [N.remote(r) for r in range(3)]
ns[2].send.remote(0)
print(ray.get(ns[0].recv.remote(2)))
