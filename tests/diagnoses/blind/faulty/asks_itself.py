import ray

ray.init()

@ray.remote
class Counter:
    def __init__(self):
        self.n = 0

    def set_handle(self, me):
        self.me = me

    def add(self, k):
        self.n += k
        return self.n

    def add_twice(self, k):
        first = ray.get(self.me.add.remote(k))
        return first + k

c = Counter.remote()
ray.get(c.set_handle.remote(c))
print("counter:", ray.get(c.add_twice.remote(4)))
