import torch
import torch.distributed as dist


def _shift(out, into, right, left):
    ops = [dist.P2POp(dist.isend, out, right), dist.P2POp(dist.irecv, into, left)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()


def my_allreduce(tensor):
    me, n = dist.get_rank(), dist.get_world_size()
    if n == 1 or tensor.numel() == 0:
        return tensor
    right, left = (me + 1) % n, (me - 1) % n
    count = -(-tensor.numel() // n)
    padded = tensor.new_zeros(n * count)
    padded[: tensor.numel()] = tensor.reshape(-1)
    chunk = padded.view(n, count)
    inbox = tensor.new_empty(count)
    for k in range(n - 1):
        _shift(chunk[(me - k) % n], inbox, right, left)
        chunk[(me - k - 1) % n] += inbox
    for k in range(n - 1):
        _shift(chunk[(me + 1 - k) % n], inbox, right, left)
        chunk[(me - k) % n] = inbox
    tensor.copy_(padded[: tensor.numel()].reshape(tensor.shape))
    return tensor
