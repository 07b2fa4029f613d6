# exercise: hello
# verdict: wrong
# mistake: counts ranks from 1, as in the handout's sample output
# expect: ranks 1..N printed, rank 0 missing
# hangs: no
# worlds: 1,2,3,4,5,8
import torch.distributed as dist


def hello(rank, world_size, name):
    print(f"Rank {rank + 1}: Hello, {name}!")
