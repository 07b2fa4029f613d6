# exercise: my-allgather
# verdict: wrong
# mistake: sends the argument as it is, a view or not
# expect: arguments that are not contiguous are refused
# hangs: no
# worlds: 2,3,4,5,8
import torch
import torch.distributed as dist


def my_allgather(tensor):
    rank, n = dist.get_rank(), dist.get_world_size()
    out = [torch.empty(tensor.shape, dtype=tensor.dtype) for _ in range(n)]
    out[rank] = tensor
    for r in range(n):
        if rank == r:
            for s in range(n):
                if s != r:
                    dist.send(tensor, s)
        else:
            dist.recv(out[r], r)
    return torch.cat(out)
