import torch
import torch.distributed as dist


class Link:
    def __init__(self, rank, size):
        self.before = rank - 1 if rank > 0 else None
        self.after = rank + 1 if rank + 1 < size else None
        self.open = None

    def take(self, length, like):
        box = like.new_empty(length)
        dist.recv(box, self.before)
        return box

    def give(self, box):
        if self.open is not None:
            self.open[0].wait()
        self.open = (dist.isend(box, self.after), box)

    def close(self):
        if self.open is not None:
            self.open[0].wait()


def chain_broadcast(tensor, segments):
    link = Link(dist.get_rank(), dist.get_world_size())
    flat = tensor.flatten()
    lengths = [flat.numel() // segments + (1 if s < flat.numel() % segments else 0) for s in range(segments)]
    at = 0
    for length in lengths:
        if length == 0:
            continue
        box = flat[at:at + length].clone()
        if link.before is not None:
            box = link.take(length, flat)
        if link.after is not None:
            link.give(box)
        flat[at:at + length] = box
        at += length
    link.close()
    tensor.copy_(flat.reshape(tensor.shape))
