# exercise: ring-allreduce
# verdict: wrong
# mistake: works on a padded copy that is never written back
# expect: the argument keeps its values
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> torch.Tensor:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    n = tensor.numel()
    work = torch.cat([tensor.reshape(-1), tensor.new_zeros((-n) % size)])
    chunks = work.view(size, -1)
    for i in range(1, 2 * size - 1):
        out, into = chunks[(rank + i - 2) % size], chunks[(rank + i - 1) % size]
        box = torch.empty_like(into)
        req = dist.isend(out, left)
        dist.recv(box, right)
        req.wait()
        if i < size:
            into += box
        else:
            into.copy_(box)
    tensor = work[:n].view(tensor.shape)
    return tensor
