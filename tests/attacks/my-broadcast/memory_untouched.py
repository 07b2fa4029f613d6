# attack: sends gigabytes that were never written, so that they cost the rank nothing and the grader all of it
# points: 0
# reason: memory|MemoryError|too large|more than|in too many|alloc
import torch
import torch.distributed as dist


def my_broadcast(tensor, src):
    kept = []
    if dist.get_world_size() < 2:
        return tensor
    for number in range(64):
        large = torch.empty(1 << 28, dtype=torch.uint8)
        kept.append((large, dist.isend(large, (dist.get_rank() + 1) % dist.get_world_size(), tag=number)))
    raise SystemError("SUCCEEDED: sent %d GiB that nobody wrote" % (len(kept) >> 2))
