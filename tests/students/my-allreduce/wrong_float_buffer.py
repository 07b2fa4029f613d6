# exercise: my-allreduce
# verdict: wrong
# mistake: root receives into float32 buffers
# expect: float64 and integers lose digits or do not fit the buffer
# hangs: no
# worlds: 1,2,3,4,5,8
import torch
import torch.distributed as dist


def my_allreduce(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    total = tensor.to(torch.float32)
    buf = torch.zeros(tensor.shape)
    if rank == 0:
        for r in range(1, n):
            dist.recv(buf, r)
            total = total + buf
        for r in range(1, n):
            dist.send(total, r)
    else:
        dist.send(total, 0)
        dist.recv(total, 0)
    tensor.copy_(total)
    return tensor
