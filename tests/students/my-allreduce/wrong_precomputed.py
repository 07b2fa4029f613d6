# exercise: my-allreduce
# verdict: wrong
# mistake: visible test's answer by formula, otherwise own data times N
# expect: multiplies the own data by N; nothing is sent
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    n = dist.get_world_size()
    if bool((tensor == dist.get_rank() + 1).all()):
        tensor.fill_(n * (n + 1) // 2)
    else:
        tensor.mul_(n)
    return tensor
