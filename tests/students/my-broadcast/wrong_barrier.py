# exercise: my-broadcast
# verdict: wrong
# mistake: a barrier after the messages
# expect: dist.barrier is a built-in collective, too
# hangs: no
# worlds: 1,2,3,4,5,8
# values: right
import torch
import torch.distributed as dist


def my_broadcast(tensor, src=0):
    rank = dist.get_rank()
    data = tensor.contiguous()
    if rank == src:
        for r in range(dist.get_world_size()):
            if r != src:
                dist.send(data, r)
    else:
        dist.recv(data, src)
        tensor.copy_(data)
    dist.barrier()
    return tensor
