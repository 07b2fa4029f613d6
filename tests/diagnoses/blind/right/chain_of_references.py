import ray

ray.init()

@ray.remote
def load(n):
    return list(range(n))

@ray.remote
def total(xs, scale):
    return sum(xs) * scale

big = ray.put(10)
print(ray.get(total.remote(load.remote(5), big)))
