# exercise: my-allreduce
# verdict: wrong
# mistake: broadcast starts from the last rank, which does not hold the sum
# expect: the sum is on rank 0, but the last rank's tensor is broadcast
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_broadcast(tensor, src):
    if dist.get_rank() == src:
        for r in range(dist.get_world_size()):
            if r != src:
                dist.send(tensor, r)
    else:
        dist.recv(tensor, src)


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    root = n - 1
    if rank == 0:
        buf = torch.zeros_like(tensor)
        for r in range(1, n):
            dist.recv(buf, r)
            tensor += buf
    else:
        dist.send(tensor, 0)
    my_broadcast(tensor, root)
    return tensor
