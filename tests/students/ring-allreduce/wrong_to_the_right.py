# exercise: ring-allreduce
# verdict: wrong
# mistake: the ring turns to the right
# expect: sends to the right neighbour, not to the left one
# hangs: no
# worlds: 2,3,4,5,8
# values: right
# note: with 2 ranks both neighbours are the same and only the chunk numbers differ
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    chunks = torch.tensor_split(tensor.view(-1), size)
    for i in range(2 * size - 2):
        out, into = chunks[(rank - i) % size], chunks[(rank - i - 1) % size]
        box = torch.empty_like(into)
        req = dist.isend(out, (rank + 1) % size)
        dist.recv(box, (rank - 1) % size)
        req.wait()
        if i < size - 1:
            into += box
        else:
            into.copy_(box)
