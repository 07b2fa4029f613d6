# exercise: hello
# verdict: wrong
# mistake: prints the name Alice whatever the argument
# expect: the name given as argument is not used
# hangs: no
# worlds: 1,2,3,4,5,8
import torch.distributed as dist


def hello(rank, world_size, name):
    print(f"Rank {dist.get_rank()}: Hello, Alice!")
