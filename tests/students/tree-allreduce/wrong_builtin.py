# exercise: tree-allreduce
# verdict: wrong
# mistake: calls dist.reduce and dist.broadcast
# expect: built-in reduce and broadcast are called
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    dist.reduce(tensor, 0)
    dist.broadcast(tensor, 0)
