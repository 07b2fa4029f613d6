# exercise: hello
# verdict: wrong
# mistake: each rank sleeps for a time of its own, so that the lines come in order
# expect: the lines are ordered by sleeping
# hangs: no
# worlds: 2,3,4,5,8
# sight: yes
import time

import torch.distributed as dist


def hello(rank, world_size, name):
    time.sleep(0.02 * dist.get_rank())
    print(f"Rank {dist.get_rank()}: Hello, {name}!")
