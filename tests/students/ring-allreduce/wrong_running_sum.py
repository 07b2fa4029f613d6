# exercise: ring-allreduce
# verdict: wrong
# mistake: whole running sums are sent and added
# expect: contributions counted several times
# hangs: no
# worlds: 2,3,4,5,8
# note: with 2 ranks the values are right and only the message size breaks the rule
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    box = torch.zeros_like(tensor)
    for _ in range(size - 1):
        out = tensor.clone()
        req = dist.isend(out, left)
        dist.recv(box, right)
        req.wait()
        tensor += box
