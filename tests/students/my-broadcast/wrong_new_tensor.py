# exercise: my-broadcast
# verdict: wrong
# mistake: receives into a new tensor and returns it; the argument stays
# expect: the argument is not written in place
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    if rank == src:
        for r in range(dist.get_world_size()):
            if r != rank:
                dist.send(tensor.contiguous(), r)
        return tensor
    result = torch.zeros(tensor.shape, dtype=tensor.dtype)
    dist.recv(result, src)
    return result
