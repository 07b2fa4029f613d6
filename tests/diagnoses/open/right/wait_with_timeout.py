import time
import ray

@ray.remote
def slow():
    time.sleep(0.5)
    return 3

ray.init()
ref = slow.remote()
ready, rest = ray.wait([ref], timeout=0.05)
print(len(ready), len(rest))
print(ray.get(ref))
