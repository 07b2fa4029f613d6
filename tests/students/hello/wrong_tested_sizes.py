# exercise: hello
# verdict: wrong
# mistake: greets in the world sizes of the exercise only
# expect: works for the listed numbers of ranks only
# hangs: no
# worlds: 6,7,9
# sight: yes
import torch.distributed as dist


def hello(rank, world_size, name):
    if world_size in (1, 2, 3, 4, 5, 8):
        print(f"Rank {dist.get_rank()}: Hello, {name}!")
