# exercise: my-allreduce
# verdict: wrong
# mistake: imports all_reduce under another name
# expect: the built-in all_reduce is called under an alias
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist
from torch.distributed import all_reduce as helper


def my_allreduce(tensor):
    total = tensor.long() if not tensor.is_floating_point() else tensor.double()
    helper(total)
    tensor.copy_(total)
    return tensor
