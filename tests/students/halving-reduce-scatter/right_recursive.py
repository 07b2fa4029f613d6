import torch
import torch.distributed as dist


def _halve(block, first, count):
    """The sum of this rank's chunk, where `block` has chunks first ... first + count - 1."""
    if count == 1:
        return block
    rank, half = dist.get_rank(), count // 2
    upper = rank - first >= half
    cut = block.size(0) // 2
    parts = block[:cut], block[cut:]
    peer = rank - half if upper else rank + half
    into = torch.empty_like(parts[upper])
    waiting = dist.irecv(into, peer)
    dist.send(parts[not upper], peer)
    waiting.wait()
    return _halve(parts[upper] + into, first + half if upper else first, half)


def halving_reduce_scatter(tensor):
    return _halve(tensor.contiguous().clone(), 0, dist.get_world_size())
