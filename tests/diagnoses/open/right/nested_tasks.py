import ray

@ray.remote
def leaf(i):
    return i * 2

@ray.remote
def root(n):
    return sum(ray.get([leaf.remote(i) for i in range(n)]))

ray.init()
print(ray.get(root.remote(4)))
