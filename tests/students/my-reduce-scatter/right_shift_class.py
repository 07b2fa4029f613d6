import torch
import torch.distributed as dist


class Shifter:
    def __init__(self):
        self.rank = dist.get_rank()
        self.size = dist.get_world_size()

    def partners(self):
        for s in range(1, self.size):
            yield (self.rank + s) % self.size, (self.rank - s) % self.size

    def exchange(self, out, dst, into, src):
        ops = [dist.P2POp(dist.isend, out, dst), dist.P2POp(dist.irecv, into, src)]
        for req in dist.batch_isend_irecv(ops):
            req.wait()


def my_reduce_scatter(tensor):
    sh = Shifter()
    n = tensor.shape[0] // sh.size
    mine = tensor.narrow(0, sh.rank * n, n).clone(memory_format=torch.contiguous_format)
    box = torch.empty_like(mine)
    for dst, src in sh.partners():
        sh.exchange(tensor.narrow(0, dst * n, n).contiguous(), dst, box, src)
        mine.add_(box)
    return mine
