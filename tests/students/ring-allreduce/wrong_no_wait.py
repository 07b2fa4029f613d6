# exercise: ring-allreduce
# verdict: wrong
# mistake: irecv is not waited for before the chunk is added
# expect: the buffer is read before the message has arrived
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    chunks = torch.tensor_split(tensor.view(-1), size)
    pending = []
    for i in range(1, 2 * size - 1):
        out, into = chunks[(rank + i - 2) % size], chunks[(rank + i - 1) % size]
        box = torch.zeros_like(into)
        pending.append(dist.irecv(box, right))
        pending.append(dist.isend(out, left))
        if i < size:
            into += box
        else:
            into.copy_(box)
    for req in pending:
        req.wait()
