# exercise: my-allreduce
# verdict: wrong
# mistake: calls allreduce of the process group object
# expect: the process group's own allreduce is called
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist
import torch.distributed.distributed_c10d as internals


def my_allreduce(tensor):
    group = internals._get_default_group()
    wide = tensor.double() if tensor.is_floating_point() else tensor.long()
    group.allreduce([wide]).wait()
    tensor.copy_(wide)
    return tensor
