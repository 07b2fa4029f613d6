import ray

@ray.remote
class Node:
    def link(self, nxt):
        self.nxt = nxt
    def count(self, hops):
        if hops == 0:
            return 0
        return 1 + ray.get(self.nxt.count.remote(hops - 1))

ray.init()
nodes = [Node.remote() for _ in range(3)]
ray.get([nodes[i].link.remote(nodes[(i + 1) % 3]) for i in range(3)])
print(ray.get(nodes[0].count.remote(5)))
