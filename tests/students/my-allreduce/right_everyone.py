import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, world_size = dist.get_rank(), dist.get_world_size()
    mine = tensor.clone()
    requests = []
    boxes = {}
    for other in range(world_size):
        if other == rank:
            continue
        boxes[other] = torch.zeros_like(mine)
        requests.append(dist.isend(mine, other))
        requests.append(dist.irecv(boxes[other], other))
    for request in requests:
        request.wait()
    tensor.zero_()
    for r in range(world_size):
        if r == rank:
            tensor += mine
        else:
            tensor += boxes[r]
    return tensor
