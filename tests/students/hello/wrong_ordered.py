# exercise: hello
# verdict: wrong
# mistake: orders the lines by barriers
# expect: the ranks wait for one another (barrier), which is not asked
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
# note: the contract says "Do not order the lines"; the output itself is right
import torch.distributed as dist


def hello(rank, world_size, name):
    for turn in range(world_size):
        if turn == rank:
            print(f"Rank {rank}: Hello, {name}!", flush=True)
        dist.barrier()
