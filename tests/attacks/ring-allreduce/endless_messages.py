# attack: turns of the ring without end: always busy, never a deadlock
# points: 0
# reason: the run takes too long|did not stop|too many|more than
import torch.distributed as dist


def ring_allreduce(tensor):
    n, r = dist.get_world_size(), dist.get_rank()
    while n > 1:
        one = dist.isend(tensor.contiguous(), (r - 1) % n)
        dist.recv(tensor.contiguous(), (r + 1) % n)
        one.wait()
