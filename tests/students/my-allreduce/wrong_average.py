# exercise: my-allreduce
# verdict: wrong
# mistake: divides the sum by the number of ranks
# expect: average in place of sum
# hangs: no
# worlds: 1,2,3,4,5,8
# note: on one rank only large integers are wrong: the division goes through float32
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    buf = torch.zeros_like(tensor)
    if rank == 0:
        for r in range(1, n):
            dist.recv(buf, r)
            tensor += buf
        tensor.copy_(tensor / n)
        for r in range(1, n):
            dist.send(tensor, r)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
    return tensor
