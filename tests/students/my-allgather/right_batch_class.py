import torch
import torch.distributed as dist


class AllGather:
    def __init__(self, example):
        self.n, self.me = dist.get_world_size(), dist.get_rank()
        self.rows = example.shape[0]
        self.out = torch.empty((self.n * self.rows, *example.shape[1:]), dtype=example.dtype)

    def place(self, r):
        return self.out.narrow(0, r * self.rows, self.rows)

    def run(self, mine):
        self.place(self.me).copy_(mine)
        src = self.place(self.me)
        ops = []
        for r in range(self.n):
            if r == self.me:
                continue
            ops.append(dist.P2POp(op=dist.isend, tensor=src, peer=r))
            ops.append(dist.P2POp(op=dist.irecv, tensor=self.place(r), peer=r))
        if ops:
            [w.wait() for w in dist.batch_isend_irecv(ops)]
        return self.out


def my_allgather(tensor):
    return AllGather(tensor).run(tensor)
