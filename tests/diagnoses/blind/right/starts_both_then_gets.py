import ray
import torch
import ray.util.collective as col

@ray.remote
class Worker:
    def __init__(self, rank):
        self.rank = rank
        col.init_collective_group(2, rank, backend="gloo", group_name="g")
        self.t = torch.ones(5) * (rank + 1)

    def send(self):
        col.send(self.t, 1, "g")
        return True

    def recv(self):
        col.recv(self.t, 0, "g")
        return self.t.tolist()

ray.init()
ws = [Worker.remote(i) for i in range(2)]
sent = ws[0].send.remote()
got = ws[1].recv.remote()
ray.get(sent)
print(ray.get(got))
