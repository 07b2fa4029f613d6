# attack: messages without end that nobody receives, with long names of lines, so that the trace fills the grader
# points: 0
# reason: too many|more than|too long
import torch
import torch.distributed as dist


def my_broadcast(tensor, src):
    n = dist.get_world_size()
    kept = []
    while n > 1:
        for _ in range(100):
            kept.append(dist.isend(torch.zeros(1), (dist.get_rank() + 1) % n))
        kept.clear()
    return tensor
