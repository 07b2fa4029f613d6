# exercise: hello
# verdict: wrong
# mistake: numbers the lines by a module counter in place of the rank
# expect: every process prints Rank 0, later Rank 1
# hangs: no
# worlds: 1,2,3,4,5,8
# note: on one rank only the second call is wrong
import torch.distributed as dist

count = 0


def hello(rank, world_size, name):
    global count
    print(f"Rank {count}: Hello, {name}!")
    count += 1
