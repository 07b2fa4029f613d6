import torch
import torch.distributed as dist


def tree_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    temp = torch.zeros_like(tensor)

    def halves(lo, hi):
        return lo, (lo + hi + 1) // 2, hi

    path = []
    lo, hi = 0, size
    while hi - lo > 1:
        lo, mid, hi = halves(lo, hi)
        path.append((lo, mid))
        if rank < mid:
            hi = mid
        else:
            lo = mid
    for low, mid in reversed(path):
        if rank == mid:
            dist.send(tensor, low)
        elif rank == low:
            dist.recv(temp, mid)
            tensor += temp
    for low, mid in path:
        if rank == low:
            dist.send(tensor, mid)
        elif rank == mid:
            dist.recv(tensor, low)
