import numpy as np
import ray

@ray.remote
class Server:
    def __init__(self, dim):
        self.w = np.zeros(dim)
    def push(self, g):
        self.w -= 0.5 * g
    def pull(self):
        return self.w

@ray.remote
class Worker:
    def __init__(self, server, target):
        self.server, self.target = server, target
    def step(self):
        w = ray.get(self.server.pull.remote())
        ray.get(self.server.push.remote((w - self.target) / 2))

ray.init()
ps = Server.remote(2)
workers = [Worker.remote(ps, np.array([1.0, t])) for t in (2.0, 4.0)]
for _ in range(20):
    ray.get([workers[0].step.remote()])
    ray.get([workers[1].step.remote()])
w = ray.get(ps.pull.remote())
print(round(float(w[0]), 2), 2 < w[1] < 4)
