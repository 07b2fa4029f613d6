import ray

@ray.remote
class Counter:
    def __init__(self, start):
        self.n = start
    def next(self):
        self.n += 1
        return self.n

ray.init()
used, unused = Counter.remote(0), Counter.remote(100)
print([ray.get(used.next.remote()) for _ in range(3)])
