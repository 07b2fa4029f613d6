# exercise: ring-allreduce
# verdict: wrong
# mistake: chunks of numel // N elements; the rest is forgotten
# expect: the tail is lost where N does not divide the count
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    flat = tensor.view(-1)
    k = flat.numel() // size
    chunks = [flat[c * k:(c + 1) * k] for c in range(size)]
    if k == 0 or size == 1:
        return
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
