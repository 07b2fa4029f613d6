# exercise: my-allreduce
# verdict: wrong
# mistake: gathers by dist.all_gather, then sums
# expect: the built-in all_gather is called
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    if tensor.numel() == 0:
        return tensor
    parts = [torch.zeros_like(tensor, dtype=torch.float64) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, tensor.double())
    tensor.copy_(sum(parts))
    return tensor
