# exercise: my-allreduce
# verdict: wrong
# mistake: both partners send first, then receive
# expect: all ranks wait in send (deadlock); works only if sends are buffered
# hangs: yes
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    mine = tensor.clone()
    buf = torch.empty_like(tensor)
    for d in range(1, n):
        dist.send(mine, (rank + d) % n)
        dist.recv(buf, (rank - d) % n)
        tensor += buf
    return tensor
