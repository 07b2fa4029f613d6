import ray

@ray.remote
class Producer:
    def make(self, n):
        return list(range(n))

@ray.remote
class Consumer:
    def use(self, xs):
        return len(xs), sum(xs)

ray.init()
p, c = Producer.remote(), Consumer.remote()
print(ray.get(c.use.remote(p.make.remote(6))))
