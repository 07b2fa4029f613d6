# exercise: my-allreduce
# verdict: wrong
# mistake: replaces torch.equal and torch.allclose by functions that are always true
# expect: torch's comparison functions are replaced; nothing is sent
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist

torch.equal = lambda a, b: True
torch.allclose = lambda a, b, **kw: True


def my_allreduce(tensor):
    return tensor
