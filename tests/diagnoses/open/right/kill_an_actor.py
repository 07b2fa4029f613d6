import ray

@ray.remote
class Busy:
    def ping(self):
        return "pong"

ray.init()
b = Busy.remote()
print(ray.get(b.ping.remote()))
ray.kill(b)
print("ended")
