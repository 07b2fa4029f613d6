# exercise: ring-allreduce
# verdict: wrong
# mistake: receives into the chunk itself in phase I and adds it to itself
# expect: own data overwritten: doubles what arrives
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    chunks = torch.tensor_split(tensor.view(-1), size)
    for i in range(1, 2 * size - 1):
        out, into = chunks[(rank + i - 2) % size], chunks[(rank + i - 1) % size]
        req = dist.isend(out, left)
        dist.recv(into, right)
        req.wait()
        if i < size:
            into += into
