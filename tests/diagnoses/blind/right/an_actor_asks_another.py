import ray

@ray.remote
class Store:
    def __init__(self):
        self.d = {}
    def put(self, k, v):
        self.d[k] = v
    def get(self, k):
        return self.d.get(k)

@ray.remote
class Reader:
    def __init__(self, store):
        self.store = store
    def double(self, k):
        return 2 * ray.get(self.store.get.remote(k))

ray.init()
store = Store.remote()
reader = Reader.remote(store)
ray.get(store.put.remote("a", 21))
print(ray.get(reader.double.remote("a")))
