# exercise: my-allreduce
# verdict: wrong
# mistake: whole running sums go round the ring and are added
# expect: contributions are counted several times
# hangs: no
# worlds: 3,4,5,8
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    buf = torch.zeros_like(tensor)
    for step in range(n - 1):
        req = dist.isend(tensor.clone(), (rank + 1) % n)
        dist.recv(buf, (rank - 1) % n)
        req.wait()
        tensor += buf
    return tensor
