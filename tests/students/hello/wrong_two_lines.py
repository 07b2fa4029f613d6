# exercise: hello
# verdict: wrong
# mistake: prints a second line with the world size
# expect: two lines for each rank
# hangs: no
# worlds: 1,2,3,4,5,8
import torch.distributed as dist


def hello(rank, world_size, name):
    print(f"Rank {rank}: Hello, {name}!")
    print(f"(world size {world_size})")
