# exercise: ring-allreduce
# verdict: wrong
# mistake: calls dist.all_reduce on each chunk
# expect: the built-in all_reduce is called
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    flat = tensor.view(-1)
    for chunk in flat.tensor_split(dist.get_world_size()):
        if chunk.numel() or flat.numel() == 0:
            dist.all_reduce(chunk)
