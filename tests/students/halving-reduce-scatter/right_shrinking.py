import torch
import torch.distributed as dist


def _exchange(out, peer, first):
    """Blocking calls; the lower rank of a pair sends first."""
    box = torch.zeros_like(out)
    if first:
        dist.send(out, peer)
        dist.recv(box, peer)
    else:
        dist.recv(box, peer)
        dist.send(out, peer)
    return box


def halving_reduce_scatter(tensor):
    me, mask = dist.get_rank(), dist.get_world_size() // 2
    part = tensor.clone(memory_format=torch.contiguous_format)
    while mask:
        halves = list(torch.chunk(part, 2, dim=0))
        mine = 1 if me & mask else 0
        arrived = _exchange(halves[1 - mine].clone(), me ^ mask, me < me ^ mask)
        part = halves[mine] + arrived
        mask >>= 1
    return part
