import torch
import torch.distributed as dist


class LeftRing:
    def __init__(self):
        self.me, self.n = dist.get_rank(), dist.get_world_size()
        self.left = (self.me - 1) % self.n
        self.right = (self.me + 1) % self.n

    def turn(self, out, into):
        ops = []
        if out.numel():
            ops.append(dist.P2POp(dist.isend, out, self.left))
        if into.numel():
            ops.append(dist.P2POp(dist.irecv, into, self.right))
        if ops:
            for w in dist.batch_isend_irecv(ops):
                w.wait()

    def reduce_scatter(self, chunks):
        for i in range(1, self.n):
            target = chunks[(self.me + i - 1) % self.n]
            box = torch.empty_like(target)
            self.turn(chunks[(self.me + i - 2) % self.n], box)
            target.add_(box)

    def all_gather(self, chunks):
        for i in range(self.n, 2 * self.n - 1):
            self.turn(chunks[(self.me + i - 2) % self.n], chunks[(self.me + i - 1) % self.n])


def ring_allreduce(tensor: torch.Tensor) -> None:
    ring = LeftRing()
    if ring.n == 1 or tensor.numel() == 0:
        return
    flat = tensor.contiguous().view(-1)
    chunks = flat.tensor_split(ring.n)
    ring.reduce_scatter(chunks)
    ring.all_gather(chunks)
    tensor.copy_(flat.view_as(tensor))
