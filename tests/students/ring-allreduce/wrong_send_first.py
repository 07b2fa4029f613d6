# exercise: ring-allreduce
# verdict: wrong
# mistake: all ranks send to the left before they receive
# expect: deadlock: all wait in send, works only with buffered sends
# hangs: yes
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def ring_allreduce(tensor: torch.Tensor) -> None:
    rank, size = dist.get_rank(), dist.get_world_size()
    left, right = (rank - 1) % size, (rank + 1) % size
    chunks = torch.tensor_split(tensor.view(-1), size)
    for i in range(1, 2 * size - 1):
        out, into = chunks[(rank + i - 2) % size], chunks[(rank + i - 1) % size]
        box = torch.empty_like(into)
        dist.send(out, left)
        dist.recv(box, right)
        if i < size:
            into += box
        else:
            into.copy_(box)
