# exercise: my-allgather
# verdict: wrong
# mistake: delegates to torch.distributed.nn's all_gather
# expect: the built-in all_gather is called through another module
# hangs: no
# worlds: 1,2,3,4,5,8
# sight: yes
import torch
import torch.distributed.nn.functional as fun


def my_allgather(tensor):
    return torch.cat(list(fun.all_gather(tensor.contiguous())))
