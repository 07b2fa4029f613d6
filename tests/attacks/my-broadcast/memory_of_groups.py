# attack: groups of ranks without end, each kept by the grader
# points: 0
# reason: too many|more than|takes too long|memory|group
import torch.distributed as dist


def my_broadcast(tensor, src):
    kept = []
    while dist.get_world_size() > 1:
        kept.append(dist.new_group(list(range(dist.get_world_size()))))
        if len(kept) > 200000:
            raise SystemError("SUCCEEDED: 200,000 groups")
    return tensor
