# exercise: hello
# verdict: wrong
# mistake: returns the line, prints nothing
# expect: nothing is printed
# hangs: no
# worlds: 1,2,3,4,5,8
import torch.distributed as dist


def hello(rank, world_size, name):
    return f"Rank {rank}: Hello, {name}!"
