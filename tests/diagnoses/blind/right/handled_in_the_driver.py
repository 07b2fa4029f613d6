import ray

@ray.remote
def divide(a, b):
    return a / b

ray.init()
results = []
for b in (2, 0, 4):
    try:
        results.append(ray.get(divide.remote(8, b)))
    except ZeroDivisionError:
        results.append(None)
print(results)
