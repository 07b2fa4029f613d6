import torch
import torch.distributed as dist


def my_allgather(tensor):
    r, p = dist.get_rank(), dist.get_world_size()
    have = tensor.clone(memory_format=torch.contiguous_format).unsqueeze(0)
    while have.size(0) < p:
        k = have.size(0)
        m = min(k, p - k)
        got = have.new_empty((m,) + have.shape[1:])
        w = dist.isend(have[:m].contiguous(), (r - k) % p)
        v = dist.irecv(got, (r + k) % p)
        w.wait(), v.wait()
        have = torch.cat([have, got])
    return torch.roll(have, r, 0).flatten(0, 1)
