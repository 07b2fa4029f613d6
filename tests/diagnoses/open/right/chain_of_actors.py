import ray

@ray.remote
class Stage:
    def __init__(self, nxt=None):
        self.nxt = nxt
    def run(self, x):
        return ray.get(self.nxt.run.remote(x + 1)) if self.nxt else x

ray.init()
c = Stage.remote()
b = Stage.remote(c)
a = Stage.remote(b)
print(ray.get(a.run.remote(5)))
