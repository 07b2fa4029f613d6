# exercise: my-allreduce
# verdict: wrong
# mistake: adds into the tensor while it is still being sent
# expect: the send buffer is changed before the send is waited for
# hangs: no
# worlds: 2,4,8
# values: racy
# note: under gloo the values are usually wrong with large tensors or slow ranks; timing decides
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    if n & (n - 1):
        return _slow(tensor, rank, n)
    buf = torch.empty_like(tensor)
    step = 1
    while step < n:
        out = dist.isend(tensor, rank ^ step)
        dist.recv(buf, rank ^ step)
        tensor += buf
        out.wait()
        step *= 2
    return tensor


def _slow(tensor, rank, n):
    buf = torch.empty_like(tensor)
    if rank == 0:
        for r in range(1, n):
            dist.recv(buf, r)
            tensor += buf
        for r in range(1, n):
            dist.send(tensor, r)
    else:
        dist.send(tensor, 0)
        dist.recv(tensor, 0)
    return tensor
