# exercise: my-allreduce
# verdict: wrong
# mistake: calls dist.all_reduce
# expect: the built-in all_reduce is called
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    dist.all_reduce(tensor, op=dist.ReduceOp.SUM)
    return tensor
