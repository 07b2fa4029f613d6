# exercise: hello
# verdict: wrong
# mistake: only rank 0 prints
# expect: one line instead of N; ranks other than 0 print nothing
# hangs: no
# worlds: 2,3,4,5,8
import torch.distributed as dist


def hello(rank, world_size, name):
    if rank == 0:
        print(f"Rank {rank}: Hello, {name}!")
