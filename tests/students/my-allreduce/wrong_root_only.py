# exercise: my-allreduce
# verdict: wrong
# mistake: the sum stays on rank 0
# expect: ranks other than 0 keep their input: no broadcast
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank = dist.get_rank()
    if rank == 0:
        temp = torch.zeros_like(tensor)
        for r in range(1, dist.get_world_size()):
            dist.recv(temp, r)
            tensor += temp
    else:
        dist.send(tensor, 0)
    return tensor
