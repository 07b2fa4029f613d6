import torch
import torch.distributed as dist


def hierarchical_allreduce(tensor, group_size):
    me, n = dist.get_rank(), dist.get_world_size()
    leader = (me // group_size) * group_size
    members = [r for r in range(leader + 1, leader + group_size) if r < n]
    if me != leader:
        dist.isend(tensor.clone(), leader).wait()
        dist.irecv(tensor, leader).wait()
        return
    boxes = [torch.empty_like(tensor) for _ in members]
    waiting = [dist.irecv(box, r) for box, r in zip(boxes, members)]
    for work, box in zip(waiting, boxes):
        work.wait()
        tensor += box
    others = [r for r in range(0, n, group_size) if r != me]
    mine = tensor.clone()
    works, sums = [], []
    for r in others:
        sums.append(torch.empty_like(tensor))
        works += [dist.isend(mine, r), dist.irecv(sums[-1], r)]
    for work in works:
        work.wait()
    for one in sums:
        tensor += one
    for work in [dist.isend(tensor, r) for r in members]:
        work.wait()
