import time
import ray

ray.init()

@ray.remote
def work(i):
    time.sleep(0.05 * i)
    return i * i

pending = [work.remote(i) for i in range(4)]
total = 0
while pending:
    done, pending = ray.wait(pending, num_returns=1)
    total += ray.get(done[0])
print("total", total)
