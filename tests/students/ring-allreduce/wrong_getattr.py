# exercise: ring-allreduce
# verdict: wrong
# mistake: getattr with a reversed name reaches all_reduce
# expect: the built-in all_reduce is called, hidden by getattr
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    step = getattr(dist, "ecuder_lla"[::-1])
    step(tensor)
