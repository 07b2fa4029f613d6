# exercise: hello
# verdict: wrong
# mistake: every rank prints a line for every rank
# expect: N*N lines instead of N
# hangs: no
# worlds: 2,3,4,5,8
import torch.distributed as dist


def hello(rank, world_size, name):
    for i in range(dist.get_world_size()):
        print(f"Rank {i}: Hello, {name}!")
