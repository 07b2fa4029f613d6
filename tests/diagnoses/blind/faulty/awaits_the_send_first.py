import ray
import torch
import ray.util.collective as col

@ray.remote
class Worker:
    def __init__(self, rank, world_size):
        self.rank = rank
        col.init_collective_group(world_size, rank, backend="gloo", group_name="g")
        self.buf = torch.ones(4) * rank

    def send(self, to):
        col.send(self.buf, to, group_name="g")
        return True

    def recv(self, source):
        col.recv(self.buf, source, group_name="g")
        return self.buf

ray.init()
a, b = [Worker.remote(r, 2) for r in range(2)]
ray.get(b.send.remote(0))
print(ray.get(a.recv.remote(1)))
ray.shutdown()
