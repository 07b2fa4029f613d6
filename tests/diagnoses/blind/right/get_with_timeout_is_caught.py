import time
import ray
from ray.exceptions import GetTimeoutError

@ray.remote
def slow():
    time.sleep(0.8)
    return "done"

ray.init()
ref = slow.remote()
try:
    print(ray.get(ref, timeout=0.1))
except GetTimeoutError:
    print("not yet")
print(ray.get(ref))
