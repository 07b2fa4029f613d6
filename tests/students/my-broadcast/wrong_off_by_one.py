# exercise: my-broadcast
# verdict: wrong
# mistake: loop over ranks 1..N-1 whatever the source
# expect: rank 0 gets nothing if src is not 0, and src sends to itself
# hangs: no
# worlds: 2,3,4,5,8
# note: self-send crashes gloo; in other libraries it may hang
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    data = tensor.contiguous()
    if rank == src:
        for r in range(1, dist.get_world_size()):
            dist.send(data, r)
    else:
        dist.recv(data, src)
        tensor.copy_(data)
    return tensor
