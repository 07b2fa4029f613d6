# exercise: hello
# verdict: wrong
# mistake: rank 0 prints all lines in a loop
# expect: rank 0 prints N lines, the others none
# hangs: no
# worlds: 2,3,4,5,8
import torch.distributed as dist


def hello(rank, world_size, name):
    if dist.get_rank() == 0:
        for r in range(world_size):
            print(f"Rank {r}: Hello, {name}!")
