# exercise: ring-allreduce
# verdict: wrong
# mistake: cuts along the first dimension
# expect: 2-D tensors with fewer rows than ranks and 0-d tensors fail or give large messages
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    chunks = torch.tensor_split(tensor, size, dim=0)
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
