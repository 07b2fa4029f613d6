# exercise: ring-allreduce
# verdict: wrong
# mistake: chunk n - i in place of n + i - 2
# expect: the chunk that is sent is not the one received in the step before: direction of the index reversed
# hangs: no
# worlds: 3,4,5,8
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    flat = tensor.view(-1)
    pad = (-flat.numel()) % size
    work = torch.cat([flat, flat.new_zeros(pad)])
    chunks = work.view(size, -1)
    for i in range(1, 2 * size - 1):
        out, into = chunks[(rank - i) % size], chunks[(rank - i + 1) % size]
        box = torch.empty_like(into)
        req = dist.isend(out.clone(), left)
        dist.recv(box, right)
        req.wait()
        if i < size:
            into += box
        else:
            into.copy_(box)
    tensor.copy_(work[: flat.numel()].view(tensor.shape))
