import ray

@ray.remote
class Log:
    def __init__(self):
        self.lines = []
    def add(self, s):
        self.lines.append(s)
    def size(self):
        return len(self.lines)

ray.init()
log = Log.remote()
for i in range(3):
    log.add.remote(f"line {i}")       # nobody waits: calls of one actor run in order
print("lines:", ray.get(log.size.remote()))
