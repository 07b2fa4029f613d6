# exercise: my-broadcast
# verdict: wrong
# mistake: everything but float32 is carried as int64
# expect: other number types than the listed ones lose their digits
# hangs: no
# worlds: 2,3,4,5,8
# sight: yes
import torch
import torch.distributed as dist


def my_broadcast(tensor, src):
    rank, size = dist.get_rank(), dist.get_world_size()
    kind = torch.float32 if tensor.dtype in (torch.float32, torch.float64) else torch.int64
    data = tensor.to(kind).contiguous()
    if rank == src:
        for other in range(size):
            if other != src:
                dist.send(data, other)
        return tensor
    dist.recv(data, src)
    tensor.copy_(data)
    return tensor
